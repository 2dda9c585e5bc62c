//! A field that must be there is not.
//!
//! ## Why
//! `type` tells a plan from other files, `status` and `owner` are what other tools look for, and a
//! step needs something to do or something to check.
//!
//! ## Example
//! ```text
//! ---
//! type: plan
//! ---
//! ```
//!
//! ## Instead
//! ```text
//! ---
//! type: plan
//! status: draft
//! owner: orchestrator
//! ---
//! ```

use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::draft::Spanned;
use crate::model::Work;
use crate::source::Span;

/// A contract without a command.
pub(crate) fn command(dialect: Dialect, label: Span) -> Diagnostic {
    let message = "the contract has no command";
    Diagnostic::new(Code::MissingField, dialect, label, message)
        .help("put the command into a fenced block under the label")
}

/// A field that only makes sense with a contract.
pub(crate) fn contract_for(dialect: Dialect, field: &str, span: Span) -> Diagnostic {
    let message = format!("`{field}` is given, but there is no contract");
    Diagnostic::new(Code::MissingField, dialect, span, message)
}

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    match context.draft.dialect {
        Dialect::Workunit => frontmatter(context, problems),
        // Each has its own required fields, which its reader reports.
        Dialect::Thread | Dialect::Proposal | Dialect::Record | Dialect::Toolplan => {}
    }
    for step in context.steps() {
        problems.extend(nothing_at_all(step));
        if step.written.title.value.is_empty() {
            let message = format!("step `{}` has no title", step.id());
            problems.push(step.problem(Code::MissingField, step.written.heading, message));
        }
    }
}

fn frontmatter(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let draft = context.draft;
    // Where the frontmatter cannot be read, nobody knows what is missing.
    let unreadable = draft
        .problems
        .iter()
        .any(|problem| problem.code == Code::FrontmatterInvalid);
    let Some(end) = draft.anchors.insert_status.filter(|_| !unreadable) else {
        return;
    };
    let fields = [
        ("type", "plan", &draft.kind),
        ("status", "draft", &draft.status),
        ("owner", "orchestrator", &draft.owner),
    ];
    for (name, usual, written) in fields {
        match written {
            Some(Spanned { value, span }) if value.is_empty() => {
                let message = format!("`{name}` has no value");
                let found = context.problem(Code::MissingField, *span, message);
                problems.push(found.help(format!("write `{name}: {usual}`")));
            }
            Some(_) => {}
            None => {
                let message = format!("the frontmatter has no `{name}`");
                let found = context.problem(Code::MissingField, draft.anchors.header, message);
                let line = format!("{name}: {usual}");
                problems.push(
                    found
                        .help(format!("add `{line}`"))
                        .fix(Span::at(end), line + "\n"),
                );
            }
        }
    }
}

fn nothing_at_all(step: StepView<'_>) -> Option<Diagnostic> {
    let empty = step.resolved.work == Work::Check && step.written.contract.is_none();
    // A contract that cannot be read is reported as such.
    empty.then(|| {
        let message = format!(
            "step `{}` has nothing to do and nothing to check",
            step.id()
        );
        step.problem(Code::MissingField, step.span(), message)
            .help("add `**task:**`, `**tool:**`, `**ask:**` or `**contract:**`")
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    const STEP: &str = "### 1. A\n**task:** x\n";

    #[test]
    fn the_frontmatter_has_three_fields() {
        check(Code::MissingField, &plan(STEP), &[]);
        check(
            Code::MissingField,
            &plan(STEP).replace("owner: me\n", ""),
            &["--- | the frontmatter has no `owner` | add `owner: orchestrator`"],
        );
        check(
            Code::MissingField,
            &plan(STEP).replace("status: draft", "status:"),
            &["status | `status` has no value | write `status: draft`"],
        );
        check(Code::MissingField, "# T\n", &[]);
    }

    #[test]
    fn a_step_does_something() {
        check(
            Code::MissingField,
            &plan("### 1. A\n"),
            &[
                "A | step `step-1` has nothing to do and nothing to check | \
             add `**task:**`, `**tool:**`, `**ask:**` or `**contract:**`",
            ],
        );
        check(
            Code::MissingField,
            &plan("### 1. \n**task:** x\n"),
            &["### 1.  | step `step-1` has no title | -"],
        );
    }

    #[test]
    fn a_contract_has_a_command() {
        check(
            Code::MissingField,
            &plan("### 1. A\n**task:** x\n**contract:**\nexit_code == 0\n"),
            &[
                "contract | the contract has no command | put the command into a fenced block under the label",
            ],
        );
        check(
            Code::MissingField,
            &plan("### 1. A\n**task:** x\n**baseline:** no\n"),
            &["no | `baseline` is given, but there is no contract | -"],
        );
    }
}
