//! A subscribed file does not exist, or is not a file.
//!
//! ## Why
//! The agent would start without context that its task relies on. Of a directory nothing is shown.
//!
//! ## Example
//! ```text
//! **subscriptions:**
//! - file:src/confg.py
//! ```
//!
//! ## Instead
//! Correct the path, or name the files of the directory. A file that a step makes counts as there for
//! the steps that wait for it, if the step `produces` it or names it in its task or contract.

use super::availability::{AbsenceReason, absence_reason};
use super::context::{Context, StepView};
use super::path_outside_workspace::is_outside;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Subscription;
use crate::source::Span;
use crate::suggest::nearest;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        for (subscription, span) in step.subscriptions() {
            problems.extend(too_few_lines(context, step, &subscription, span));
        }
        for (path, span) in step.files() {
            if context.workspace.leads_outside(&path) {
                // Reported as such.
                continue;
            }
            if is_outside(&path) {
                continue;
            }
            if context.workspace.is_no_file(&path) {
                problems.push(not_a_file(step, &path, span));
                continue;
            }
            if absence_reason(context, step, &path) != Some(AbsenceReason::Nobody) {
                continue;
            }
            let message = format!(
                "step `{}` subscribes to `{path}`, which does not exist",
                step.id()
            );
            let found = step.problem(Code::MissingFile, span, message);
            let others = context.workspace.siblings(&path);
            if let Some(near) = nearest(&path, others.iter().map(String::as_str)) {
                let found = found.help(format!("did you mean `{near}`?"));
                // Behind `file:` and before the lines; `./` and line breaks make it another place.
                let mut written = step.written.subscriptions.iter();
                let plain = format!("file:{path}");
                let plain = written.any(|text| {
                    text.span == span
                        && text.value.starts_with(&plain)
                        && text.value.len() == span.len()
                });
                let start = span.start + "file:".len();
                let span = Span::new(start, start + path.len());
                problems.push(if plain { found.fix(span, near) } else { found });
                continue;
            }
            problems.push(found.help(format!(
                "correct the path, or let an earlier step declare it under `{}`",
                context.draft.dialect.spell("produces")
            )));
        }
    }
}

fn not_a_file(step: StepView<'_>, path: &str, span: Span) -> Diagnostic {
    let message = format!(
        "step `{}` subscribes to `{path}`, which is not a file",
        step.id()
    );
    let help = "name the files that its agent is to be shown";
    step.problem(Code::MissingFile, span, message).help(help)
}

/// Lines are asked for that the file does not have. It may yet grow if a step writes it.
fn too_few_lines(
    context: &Context<'_>,
    step: StepView<'_>,
    subscription: &Subscription,
    span: Span,
) -> Option<Diagnostic> {
    let Subscription::File {
        path,
        lines: Some((from, _)),
    } = subscription
    else {
        return None;
    };
    if is_outside(path) || absence_reason(context, step, path).is_some() {
        return None;
    }
    let count = context.workspace.line_count(path)?;
    (u64::from(*from) > count).then(|| {
        let message = format!(
            "step `{}` subscribes to line {from} of `{path}`, which has {count}",
            step.id()
        );
        let help = "correct the lines, or leave `#L…` out for the whole file";
        step.problem(Code::MissingFile, span, message).help(help)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    const HELP: &str = "correct the path, or let an earlier step declare it under `**produces:**`";

    #[test]
    fn a_file_must_exist() {
        check(
            Code::MissingFile,
            &plan("### 1. A\n**subscriptions:** file:README.md, file:./README.md#L3\n"),
            &[],
        );
        check(
            Code::MissingFile,
            &plan("### 1. A\n**subscriptions:**\n- file:nope.md#L1-L2\n"),
            &[&format!(
                "file:nope.md#L1-L2 | step `step-1` subscribes to `nope.md`, which does not exist | {HELP}"
            )],
        );
    }

    #[test]
    fn or_be_made_by_a_step_that_is_waited_for() {
        for source in [
            "**produces:** docs/*.md",
            "**task:** Write `docs/a.md`.",
            "**contract:** `test -f docs/a.md`",
        ] {
            let steps =
                format!("### 1. A\n{source}\n### 2. B\n**subscriptions:** file:docs/a.md\n");
            check(Code::MissingFile, &plan(&steps), &[]);
        }
    }

    #[test]
    fn its_own_step_does_not_count() {
        let own = "### 1. A\n**task:** x\n**produces:** a.md\n**subscriptions:** file:a.md\n";
        let expected = format!(
            "file:a.md | step `step-1` subscribes to `a.md`, which does not exist | {HELP}"
        );
        check(Code::MissingFile, &plan(own), &[&expected]);
        check(
            Code::MissingFile,
            &plan("### 1. A\n**task:** Write a.md\n**subscriptions:** file:a.md\n"),
            &[&format!(
                "file:a.md | step `step-1` subscribes to `a.md`, which does not exist | {HELP}"
            )],
        );
    }

    #[test]
    fn a_directory_shows_nothing() {
        check(
            Code::MissingFile,
            &plan("### 1. A\n**subscriptions:** file:src, file:src/app.py\n"),
            &[
                "file:src | step `step-1` subscribes to `src`, which is not a file | name the files that its agent is to be shown",
            ],
        );
    }

    #[test]
    fn lines_must_exist_too() {
        check(
            Code::MissingFile,
            &plan("### 1. A\n**subscriptions:** file:README.md#L9-L200, file:README.md#L99-L200\n"),
            &[
                "file:README.md#L99-L200 | step `step-1` subscribes to line 99 of `README.md`, which has 10 | \
                 correct the lines, or leave `#L…` out for the whole file",
            ],
        );
    }

    #[test]
    fn a_near_name_is_suggested() {
        let text = plan("### 1. A\n**task:** x\n**subscriptions:** file:src/ap.py#L1-L2\n");
        check(
            Code::MissingFile,
            &text,
            &[
                "file:src/ap.py#L1-L2 | step `step-1` subscribes to `src/ap.py`, which does not exist | did you mean `src/app.py`?",
            ],
        );
        let found = super::super::testing::checked(&text).diagnostics;
        let fix = found.iter().find_map(|one| one.fix.clone()).expect("a fix");
        assert_eq!(fix.span.slice(&text), "src/ap.py");
    }
}
