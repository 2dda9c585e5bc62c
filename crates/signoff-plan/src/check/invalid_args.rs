//! The arguments do not fit the tool.
//!
//! ## Why
//! A call that cannot succeed is better found before the run than in the middle of it. That also holds
//! for a pattern that is not a regular expression, and for a path in `.git` or `.signoff`, which no tool
//! may use. What another step gives (`$id`, `$id.x`) must be of the right kind, as far as its tool says what
//! it gives; other text that refers to a step or to an item fits anything, and is checked again once it is known.
//!
//! ## Example
//! ```text
//! { "id": "config", "tool": "read_file", "args": { "pth": "config.json" } }
//! ```
//!
//! ## Instead
//! What the tool's schema asks for: `{ "path": "config.json" }`.

mod results;

use std::collections::BTreeMap;

use serde_json::Value;

use super::context::{Context, StepView};
use super::text_arguments::{TextArgument, for_each_text_argument};
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::json::LocatedValue;
use crate::model::Work;
use crate::tools::schema::{SchemaMismatch, schema_mismatches};
use crate::tools::{ArgumentKind, Tool, built_in};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    // A schema is made once, however many steps call its tool.
    let mut schemas: BTreeMap<&str, Option<Value>> = BTreeMap::new();
    for step in context.steps() {
        let Work::Tool { tool, args } = &step.resolved.work else {
            continue;
        };
        let built_in = built_in(tool);
        for_each_text_argument(step, &mut |given| {
            problems.extend(tool_refusal(step, &given));
        });
        let refers = refers_to_steps(args);
        if !refers && built_in.is_some_and(|tool| plainly_fits(tool, args)) {
            continue;
        }
        let schema = schemas.entry(tool).or_insert_with(|| match built_in {
            Some(tool) => Some(tool.input_schema()),
            None => context.workspace.tool_schema(tool),
        });
        // Arguments that could not be read at all have been reported.
        let unread = step.written.args.is_none() && step.written.args_unread;
        if unread {
            continue;
        }
        let whole = match (&step.written.args, &step.written.tool) {
            (Some(args), _) => args.span,
            (None, Some(tool)) => tool.span,
            (None, None) => step.span(),
        };
        let located = LocatedValue::new(args, whole, &step.written.args_spans);
        let misfits = schema
            .as_ref()
            .map(|schema| schema_mismatches(&located, schema));
        let mut misfits = misfits.unwrap_or_default();
        if refers {
            misfits.extend(results::mismatches(context, &located, schema.as_ref()));
        }
        for misfit in misfits {
            problems.push(problem_of(step, tool, misfit));
        }
    }
}

/// Whether an argument looks like what another step gives.
fn refers_to_steps(args: &Value) -> bool {
    let args = args.as_object().into_iter().flatten();
    args.filter_map(|(_, value)| value.as_str())
        .any(|text| text.contains('$'))
}

/// What belongs to git and to the harness, at any depth.
const NEVER: [&str; 2] = [".git", ".signoff"];

/// A text that fits the schema and that its tool would refuse all the same.
fn tool_refusal(step: StepView<'_>, given: &TextArgument<'_>) -> Option<Diagnostic> {
    let (name, text) = (given.argument.name, given.text);
    let never = |part: &str| NEVER.iter().find(|never| part.eq_ignore_ascii_case(never));
    let (why, help) = if given.argument.pattern {
        let wrong = not_a_pattern(text)?;
        let why = format!("`{name}` is not a regular expression: {wrong}");
        (why, "a backslash before it makes a sign stand for itself")
    } else {
        let part = text.split('/').find_map(never);
        let part = part.filter(|_| given.argument.path)?;
        let why = format!("`{name}` is in `{part}`, which no tool may use");
        (why, "name a file of the project")
    };
    let message = format!(
        "step `{}` calls `{}`, but {why}",
        step.id(),
        given.tool.name
    );
    let found = step.problem(Code::InvalidArgs, given.span, message);
    Some(found.help(help))
}

/// Why a text is not a regular expression, in one line.
fn not_a_pattern(text: &str) -> Option<String> {
    let error = regex::Regex::new(text).err()?.to_string();
    let last = error.lines().last().unwrap_or_default();
    Some(last.trim_start_matches("error: ").to_owned())
}

/// Whether the arguments fit at first sight, as nearly all do.
fn plainly_fits(tool: &Tool, args: &Value) -> bool {
    let Value::Object(args) = args else {
        return false;
    };
    let known = args.iter().all(|(name, value)| {
        let mut arguments = tool.arguments.iter();
        let argument = arguments.find(|argument| argument.name == name);
        argument.is_some_and(|argument| argument.kind == ArgumentKind::Text && value.is_string())
    });
    let mut required = tool.arguments.iter().filter(|argument| argument.required);
    known && required.all(|argument| args.keys().any(|name| name == argument.name))
}

fn problem_of(step: StepView<'_>, tool: &str, misfit: SchemaMismatch) -> Diagnostic {
    let message = format!(
        "step `{}` calls `{tool}`, but {}",
        step.id(),
        misfit.message
    );
    let mut found = step.problem(Code::InvalidArgs, misfit.span, message);
    if step.written.args.is_none() {
        found = found.with_missing_field(MissingFieldScope::Here(&["args"]));
    }
    // Without places the caret is under everything, and everything must not be replaced.
    match misfit.suggestion {
        Some(name) if step.written.args_spans.is_empty() => {
            found.help(format!("did you mean `{name}`?"))
        }
        suggestion => found.suggest(suggestion.as_deref()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn what_a_step_gives_must_fit_where_it_goes() {
        let text = |content: &str| {
            format!(
                r#"{{"steps": [{{"id": "read", "tool": "read_file", "args": {{"path": "a"}}}}, {{"id": "write", "tool": "write_file", "args": {{"path": "b", "content": "{content}"}}}}]}}"#
            )
        };
        for fits in ["$read.content", "$read.path", "${read.content}!", "$$read"] {
            check(Code::InvalidArgs, &text(fits), &[]);
        }
        check(
            Code::InvalidArgs,
            &text("$read"),
            &[
                "$read | step `write` calls `write_file`, but `content` must be text, and `$read` is an object; `$read.content` would fit | -",
            ],
        );
        check(
            Code::InvalidArgs,
            &text("$read.contents"),
            &[
                "$read.contents | step `write` calls `write_file`, but `$read.contents` is nothing: there is no `contents` in it; did you mean `content`? | -",
            ],
        );
        check(
            Code::InvalidArgs,
            &text("$read.content.x[0]"),
            &[
                "$read.content.x[0] | step `write` calls `write_file`, but `$read.content.x[0]` is nothing: text has no parts such as `.x` | -",
            ],
        );
        check(
            Code::InvalidArgs,
            &text("v${read.contents} and ${read.path[1]}"),
            &[
                "v${read.contents} and ${read.path[1]} | step `write` calls `write_file`, but `${read.contents}` is nothing: there is no `contents` in it; did you mean `content`? | -",
                "v${read.contents} and ${read.path[1]} | step `write` calls `write_file`, but `${read.path[1]}` is nothing: text has no parts such as `[1]` | -",
            ],
        );
        let tracker = r#"{"steps": [{"id": "find", "tool": "tracker.search", "args": {"query": "x"}}, {"id": "write", "tool": "write_file", "args": {"path": "b", "content": "$find.hits"}}]}"#;
        check(
            Code::InvalidArgs,
            tracker,
            &[
                "$find.hits | step `write` calls `write_file`, but `content` must be text, and `$find.hits` is a list | -",
            ],
        );
    }

    #[track_caller]
    fn args(tool: &str, args: &str, expected: &[&str]) {
        let text = format!(r#"{{"steps": [{{"id": "a", "tool": "{tool}", "args": {args}}}]}}"#);
        check(Code::InvalidArgs, &text, expected);
    }

    #[test]
    fn arguments_fit_the_schema() {
        args("read_file", r#"{"path": "a"}"#, &[]);
        args(
            "write_file",
            r#"{"path": "a", "content": "$b.content"}"#,
            &[],
        );
        args(
            "read_file",
            r#"{"path": "a", "from_line": "{{ item }}"}"#,
            &[],
        );
        args(
            "read_file",
            r#"{"pth": "a"}"#,
            &["pth | step `a` calls `read_file`, but `pth` is not taken | did you mean `path`?"],
        );
        args(
            "http_request",
            r#"{"url": 5, "method": "get", "headers": {"a": ["b"]}}"#,
            &[
                "5 | step `a` calls `http_request`, but `url` must be text, not a number | -",
                "get | step `a` calls `http_request`, but `method` must be one of `GET`, `HEAD`, `POST`, \
                 `PUT`, `PATCH`, `DELETE`, `OPTIONS`, not `get` | did you mean `GET`?",
                r#"["b"] | step `a` calls `http_request`, but `headers.a` must be text, not a list | -"#,
            ],
        );
    }

    #[test]
    fn what_a_tool_would_refuse_is_told_before() {
        args(
            "search_files",
            r#"{"pattern": "a\\(b|c", "path": "src"}"#,
            &[],
        );
        args("search_files", r#"{"pattern": "$other.content("}"#, &[]);
        args(
            "search_files",
            r#"{"pattern": "a(b"}"#,
            &[
                "a(b | step `a` calls `search_files`, but `pattern` is not a regular expression: \
                 unclosed group | a backslash before it makes a sign stand for itself",
            ],
        );
        args("write_file", r#"{"path": "x", "content": ".git/("}"#, &[]);
        args("list_directory", r#"{"path": ".github/x.signoff"}"#, &[]);
        args(
            "move_file",
            r#"{"from": ".signoff/config.toml", "to": "sub/.GIT/x"}"#,
            &[
                ".signoff/config.toml | step `a` calls `move_file`, but `from` is in `.signoff`, \
                 which no tool may use | name a file of the project",
                "sub/.GIT/x | step `a` calls `move_file`, but `to` is in `.git`, \
                 which no tool may use | name a file of the project",
            ],
        );
    }

    #[test]
    fn recorded_schemas_count_and_others_are_not_checked() {
        args("tracker.search", r#"{"query": "x"}"#, &[]);
        args(
            "tracker.search",
            r#"{"limit": 5}"#,
            &[r#"{"limit": 5} | step `a` calls `tracker.search`, but `query` is missing | -"#],
        );
        args("nobody.knows", r#"{"limit": 5}"#, &[]);
    }

    #[test]
    fn missing_arguments_are_said_at_the_tool() {
        check(
            Code::InvalidArgs,
            r#"{"steps": [{"id": "a", "tool": "delete_file"}]}"#,
            &["delete_file | step `a` calls `delete_file`, but `path` is missing | -"],
        );
        args("delete_file", "[]", &[]);
    }

    #[test]
    fn every_dialect_is_checked() {
        check(
            Code::InvalidArgs,
            &plan("### 1. A\n**tool:** delete_file\n**args:** {\"path\": 1}\n"),
            &["1 | step `step-1` calls `delete_file`, but `path` must be text, not a number | -"],
        );
    }
}
