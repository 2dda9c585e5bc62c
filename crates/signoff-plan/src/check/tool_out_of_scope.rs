//! A step calls a tool that its scope does not allow.
//!
//! ## Why
//! `tools` is what was agreed that the plan, or a step, may use. A step may have less than the plan,
//! never more.
//!
//! ## Example
//! ```text
//! { "tools": ["read_*"], "steps": [{ "id": "clean", "tool": "delete_file", "args": { "path": "x" } }] }
//! ```
//!
//! ## Instead
//! Another tool, or its name in `tools`: in full (`delete_file`), which is also the agreement to call it,
//! by its server (`github`), or by what it begins with (`read_*`).

use super::context::{Context, StepView};
use super::misspelling::TOOL_NAME;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::draft::Spanned;
use crate::model::Work;
use crate::source::Span;
use crate::tools::allows;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let Work::Tool { tool, .. } = &step.resolved.work else {
            continue;
        };
        let scopes = [
            ("the step's", &step.resolved.tools, &step.written.tools),
            ("the plan's", &context.plan.tools, &context.draft.tools),
        ];
        for (whose, scope, written) in scopes {
            if let Some(scope) = scope
                && allows(scope, tool).is_none()
            {
                problems.push(problem_of(step, tool, whose, written.as_deref()));
                break;
            }
        }
    }
}

fn problem_of(
    step: StepView<'_>,
    tool: &str,
    whose: &str,
    scope: Option<&[Spanned<String>]>,
) -> Diagnostic {
    let span = step
        .written
        .tool
        .as_ref()
        .map_or(step.span(), |tool| tool.span);
    let message = format!(
        "step `{}` calls `{tool}`, which {whose} `tools` do not allow",
        step.id()
    );
    let found = step.problem(Code::ToolOutOfScope, span, message);
    let found = found.with_missing_field(MissingFieldScope::Here(&[TOOL_NAME]));
    let names = scope.unwrap_or_default();
    let Some(allowed) = names.iter().map(|name| name.span).reduce(Span::to) else {
        return found.help(format!("they are empty; add `{tool}` to them"));
    };
    found
        .with_related(allowed, "only these are allowed")
        .help(format!("add `{tool}` to `tools`, or call another"))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[track_caller]
    fn scoped(plan_tools: &str, step_tools: &str, expected: &[&str]) {
        let text = format!(
            r#"{{{plan_tools} "steps": [{{"id": "a", {step_tools} "tool": "read_file", "args": {{"path": "x"}}}}]}}"#
        );
        check(Code::ToolOutOfScope, &text, expected);
    }

    #[test]
    fn scopes_limit_calls() {
        scoped("", "", &[]);
        scoped(r#""tools": ["read_file"],"#, "", &[]);
        scoped(r#""tools": ["read_*"],"#, r#""tools": ["read_file"],"#, &[]);
        scoped(
            r#""tools": ["write_file"],"#,
            "",
            &[
                "read_file | step `a` calls `read_file`, which the plan's `tools` do not allow | \
               add `read_file` to `tools`, or call another",
            ],
        );
        scoped(
            "",
            r#""tools": [],"#,
            &[
                "read_file | step `a` calls `read_file`, which the step's `tools` do not allow | \
               they are empty; add `read_file` to them",
            ],
        );
        scoped(
            r#""tools": ["github"],"#,
            r#""tools": ["read_file"],"#,
            &[
                "read_file | step `a` calls `read_file`, which the plan's `tools` do not allow | \
               add `read_file` to `tools`, or call another",
            ],
        );
    }

    #[test]
    fn every_dialect_is_checked() {
        check(
            Code::ToolOutOfScope,
            &plan("### 1. A\n**tool:** read_file\n**tools:** github\n"),
            &[
                "read_file | step `step-1` calls `read_file`, which the step's `tools` do not allow | \
               add `read_file` to `tools`, or call another",
            ],
        );
    }
}
