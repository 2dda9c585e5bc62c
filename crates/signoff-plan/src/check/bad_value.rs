//! A field holds something it cannot mean.
//!
//! ## Why
//! A value that is misread, or quietly ignored, makes the run differ from what was signed.
//!
//! ## Example
//! ```text
//! **timeout:** ten minutes
//! **critical:** maybe
//! **subscriptions:** src/app.py
//! ### 5. Deploy        (as the third step)
//! ```
//!
//! ## Instead
//! What the message names: `**timeout:** 10m`, `**critical:** no`,
//! `**subscriptions:** file:src/app.py`, `### 3. Deploy`.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::draft::{Spanned, Step};
use crate::source::Span;
use crate::suggest::nearest;

fn problem(dialect: Dialect, span: Span, message: String) -> Diagnostic {
    Diagnostic::new(Code::BadValue, dialect, span, message)
}

/// The file says that it is something else.
pub(crate) fn type_of_file(dialect: Dialect, word: &Spanned<String>) -> Diagnostic {
    let message = format!("`type` is `{}`, which is no plan", word.value);
    problem(dialect, word.span, message)
        .help("write `type: plan`")
        .fix(word.span, "plan")
}

/// A field of the frontmatter is a list or a mapping.
pub(crate) fn no_text(
    dialect: Dialect,
    key: &Spanned<String>,
    span: Span,
    found: &str,
) -> Diagnostic {
    problem(
        dialect,
        span,
        format!("`{}` must be text, not {found}", key.value),
    )
}

/// A field of the frontmatter is no mapping.
pub(crate) fn no_mapping(
    dialect: Dialect,
    key: &Spanned<String>,
    span: Span,
    found: &str,
) -> Diagnostic {
    let message = format!(
        "`{}` must be a mapping of names to values, not {found}",
        key.value
    );
    problem(
        dialect,
        if span.is_empty() { key.span } else { span },
        message,
    )
}

/// A label is given twice.
pub(crate) fn repeated(dialect: Dialect, name: &str, span: Span, first: Span) -> Diagnostic {
    problem(dialect, span, format!("field `{name}` is given twice"))
        .related(first, "given here first")
        .help("keep one; text that is no field can go into a fenced block")
}

/// A label has no value.
pub(crate) fn empty(dialect: Dialect, name: &str, span: Span) -> Diagnostic {
    problem(dialect, span, format!("field `{name}` has no value"))
        .help("give it a value, or leave the label out")
}

/// A contract has more than one block.
pub(crate) fn second_contract(dialect: Dialect, span: Span, first: Span) -> Diagnostic {
    problem(
        dialect,
        span,
        "a contract is one fenced block; this is a second one".to_owned(),
    )
    .related(first, "the first one")
    .help("join the commands with `&&` in one block")
}

/// A contract is written in something else than shell.
pub(crate) fn contract_language(dialect: Dialect, word: &Spanned<String>) -> Diagnostic {
    let message = format!("a contract is shell text, not `{}`", word.value);
    problem(dialect, word.span, message)
        .help("mark the block as `shell`, `bash` or `sh`, and call other languages from there")
}

/// A heading among the steps has no number.
pub(crate) fn no_number(dialect: Dialect, step: &Step, position: usize) -> Diagnostic {
    let title = step.title.value.as_str();
    let message = format!("heading `{title}` has no step number");
    problem(dialect, step.heading, message).help(format!(
        "write `### {position}. {title}`, or `####` for a heading inside a step"
    ))
}

/// Arguments of a tool are no JSON.
pub(crate) fn args(dialect: Dialect, span: Span, why: &str) -> Diagnostic {
    problem(dialect, span, format!("`args` must be JSON: {why}"))
}

/// A subscription is neither a file nor a topic.
pub(super) fn subscription(dialect: Dialect, text: &Spanned<String>) -> Diagnostic {
    let message = format!(
        "subscription `{}` is neither a file nor a topic",
        text.value
    );
    let found = problem(dialect, text.span, message)
        .help("write `file:PATH`, `file:PATH#L10-L40` or `topic:NAME`");
    let bare_path = !text.value.contains([':', '#', ' ']);
    if bare_path {
        found.fix(Span::at(text.span.start), "file:")
    } else {
        found
    }
}

/// A number is none, or too small.
pub(super) fn number(
    dialect: Dialect,
    field: &str,
    text: &Spanned<String>,
    least: u64,
) -> Diagnostic {
    let message = format!(
        "`{field}` must be a whole number from {least} on, not `{}`",
        text.value
    );
    problem(dialect, text.span, message)
}

/// A duration cannot be read.
pub(super) fn duration(dialect: Dialect, field: &str, text: &Spanned<String>) -> Diagnostic {
    let message = format!("`{field}` must be a duration, not `{}`", text.value);
    problem(dialect, text.span, message)
        .help("write numbers with units, the largest first: `90s`, `10m`, `20 minutes`, `1h 30m`")
}

/// A field that takes one of several words holds another one.
pub(super) fn word(
    dialect: Dialect,
    field: &str,
    text: &Spanned<String>,
    words: &[&str],
) -> Diagnostic {
    let names: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    let message = format!(
        "`{field}` must be one of {}, not `{}`",
        names.join(", "),
        text.value
    );
    let suggestion = nearest(&text.value, words.iter().copied());
    problem(dialect, text.span, message).suggest(suggestion)
}

/// A step says in two ways what is to be done.
pub(super) fn two_kinds_of_work(dialect: Dialect, step: &Step) -> Option<Diagnostic> {
    let tool = step.tool.as_ref().map(|tool| ("tool", tool.span));
    let ask = step.ask.as_ref().map(|ask| ("ask", ask.span));
    let target = step.target.as_ref().map(|target| ("target", target.span));
    let task = step.task.as_ref().map(|task| ("task", task.span));
    let given: Vec<_> = [tool, ask, target.or(task)].into_iter().flatten().collect();
    let [(first, first_span), (second, second_span), ..] = given.as_slice() else {
        return orphan(dialect, step);
    };
    let message =
        format!("a step has one kind of work, but both `{first}` and `{second}` are given");
    let found = problem(dialect, *second_span, message).related(*first_span, "the other one");
    Some(found.help("make two steps of it"))
}

/// Arguments without a tool, or answers without a question.
fn orphan(dialect: Dialect, step: &Step) -> Option<Diagnostic> {
    if let (Some(args), None) = (&step.args, &step.tool) {
        let message = "`args` are given, but no `tool`".to_owned();
        return Some(problem(dialect, args.span, message));
    }
    if let (Some(choice), None) = (step.choices.first(), &step.ask) {
        let message = "`choices` are given, but nothing to `ask`".to_owned();
        return Some(problem(dialect, choice.span, message));
    }
    None
}

/// Numbers must be positions: references by number would be ambiguous otherwise.
pub(super) fn numbering(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        // After a heading that stands for several steps nobody knows the numbers.
        if step.written.unexpanded.is_some() {
            return;
        }
        let position = step.index + 1;
        let Some(number) = &step.written.number else {
            continue;
        };
        if usize::try_from(number.value) != Ok(position) {
            let message = format!(
                "step `{}` is numbered {} but is number {position}",
                step.id(),
                number.value
            );
            let found = step.problem(Code::BadValue, number.span, message);
            problems.push(
                found
                    .help(format!("write `{position}.`"))
                    .fix(number.span, position.to_string()),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[track_caller]
    fn step(fields: &str, expected: &[&str]) {
        check(
            Code::BadValue,
            &plan(&format!("### 1. A\n{fields}\n")),
            expected,
        );
    }

    #[test]
    fn words_numbers_and_durations_are_checked() {
        step(
            "**critical:** maybe",
            &["maybe | `critical` must be one of `yes`, `no`, `true`, `false`, not `maybe` | -"],
        );
        step(
            "**max_items:** 0",
            &["0 | `max_items` must be a whole number from 1 on, not `0` | -"],
        );
        step(
            "**timeout:** 10",
            &[
                "10 | `timeout` must be a duration, not `10` | write numbers with units, the largest first: \
             `90s`, `10m`, `20 minutes`, `1h 30m`",
            ],
        );
        step(
            "**isolation:** shard",
            &[
                "shard | `isolation` must be one of `auto`, `worktree`, `shared`, not `shard` | did you mean `shared`?",
            ],
        );
    }

    #[test]
    fn subscriptions_have_a_kind() {
        step(
            "**subscriptions:** file:README.md, topic:known, file:README.md#L1-L2",
            &[],
        );
        for bad in [
            "src/app.py",
            "file:",
            "topic:",
            "file:a#L9-L3",
            "file:a#L0",
            "topic:a/b",
        ] {
            step(
                &format!("**subscriptions:**\n- {bad}"),
                &[&format!(
                    "{bad} | subscription `{bad}` is neither a file nor a topic | \
                 write `file:PATH`, `file:PATH#L10-L40` or `topic:NAME`"
                )],
            );
        }
    }

    #[test]
    fn a_step_has_one_kind_of_work() {
        step(
            "**tool:** read\n**ask:** why?",
            &[
                "why? | a step has one kind of work, but both `tool` and `ask` are given | make two steps of it",
            ],
        );
        step(
            "**args:** {}",
            &["{} | `args` are given, but no `tool` | -"],
        );
        step(
            "**tool:** x\n**args:** {",
            &["{ | `args` must be JSON: EOF while parsing an object at line 1 column 1 | -"],
        );
    }

    #[test]
    fn labels_are_given_once_and_with_a_value() {
        step(
            "**id:** a\n**id:** b",
            &[
                "id | field `id` is given twice | keep one; text that is no field can go into a fenced block",
            ],
        );
        step(
            "**target:**",
            &["target | field `target` has no value | give it a value, or leave the label out"],
        );
    }

    #[test]
    fn numbers_are_positions() {
        check(
            Code::BadValue,
            &plan("### 1. A\n### 3. B\n"),
            &["3 | step `step-2` is numbered 3 but is number 2 | write `2.`"],
        );
        check(
            Code::BadValue,
            &plan("### 1. A\n### 2–N. B\n### 9. C\n"),
            &[],
        );
        check(
            Code::BadValue,
            &plan("### Build\n"),
            &[
                "### Build | heading `Build` has no step number | write `### 1. Build`, or `####` for a heading inside a step",
            ],
        );
    }
}
