//! A step needs what a later one produces.
//!
//! ## Why
//! The file would not be there when the step starts.
//!
//! ## Example
//! ```text
//! ### 1. Review
//! **subscriptions:** file:docs/design.md
//! ### 2. Design
//! **produces:** docs/design.md
//! ```
//!
//! ## Instead
//! Move the producing step before, or name it under `depends_on`. The same goes for a value: a step that
//! waits for every step before it can use only theirs.

use super::availability::{AbsenceReason, ProvidedBy, absence_reason};
use super::context::{Context, StepView};
use super::path_outside_workspace::is_outside;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Depends;
use crate::reference::TokenKind;
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        for (path, span) in step.files() {
            let Some(AbsenceReason::NotWaitedFor(index, way)) =
                absence_reason(context, step, &path)
            else {
                continue;
            };
            if let (Some(source), false) = (context.step(index), is_outside(&path)) {
                problems.push(needs(context, step, source, &path, span, way));
            }
        }
    }
    for (index, referred) in &context.references.references {
        if let TokenKind::Whole(reference) | TokenKind::Inside(reference) = &referred.kind {
            problems.extend(used_before_given(
                context,
                *index,
                reference.id,
                referred.span,
            ));
        }
    }
    for (index, expression) in &context.references.expressions {
        for read in expression.reads.iter().flat_map(|reads| &reads.steps) {
            problems.extend(used_before_given(
                context,
                *index,
                read.id,
                expression.text.span,
            ));
        }
    }
}

fn needs(
    context: &Context<'_>,
    step: StepView<'_>,
    source: StepView<'_>,
    path: &str,
    span: Span,
    way: ProvidedBy,
) -> Diagnostic {
    let verb = match way {
        ProvidedBy::Produces => "produces",
        ProvidedBy::Names => "seems to write",
    };
    let (id, other) = (step.id(), source.id());
    let message = format!(
        "step `{id}` needs `{path}`, which step `{other}` {verb}, but does not wait for it"
    );
    let help = if context.graph.waits_for(source.index, step.index) {
        format!("move step `{other}` before step `{id}`")
    } else {
        let field = context.draft.dialect.spell("depends_on");
        format!("add `{other}` to `{field}`")
    };
    let found = step.problem(Code::OrderError, span, message);
    found.with_related(source.span(), "made here").help(help)
}

/// A step that waits for every step before it uses what a later one gives.
fn used_before_given(
    context: &Context<'_>,
    index: usize,
    id: &str,
    span: Span,
) -> Option<Diagnostic> {
    let step = context.step(index)?;
    let source = context.step(context.position(id).filter(|at| *at > index)?)?;
    if step.resolved.depends_on != Depends::AllBefore {
        return None;
    }
    let message = format!(
        "step `{}` uses what step `{id}` gives, which comes later",
        step.id()
    );
    let found = step.problem(Code::OrderError, span, message);
    let help = format!("move step `{id}` before step `{}`", step.id());
    Some(found.with_related(source.span(), "given here").help(help))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn later_is_too_late() {
        check(
            Code::OrderError,
            &plan("### 1. A\n**subscriptions:** file:a.md\n### 2. B\n**produces:** a.md\n"),
            &[
                "file:a.md | step `step-1` needs `a.md`, which step `step-2` produces, but does not wait for it | \
               move step `step-2` before step `step-1`",
            ],
        );
        check(
            Code::OrderError,
            &plan(
                "### 1. A\n**task:** Write `a.md`\n### 2. B\n**depends_on:** none\n**subscriptions:** file:a.md\n",
            ),
            &[
                "file:a.md | step `step-2` needs `a.md`, which step `step-1` seems to write, but does not wait for it | \
               add `step-1` to `**depends_on:**`",
            ],
        );
    }

    #[test]
    fn what_exists_or_comes_before_is_fine() {
        check(
            Code::OrderError,
            &plan(
                "### 1. A\n**subscriptions:** file:README.md\n### 2. B\n**produces:** README.md\n",
            ),
            &[],
        );
        check(
            Code::OrderError,
            &plan("### 1. A\n**produces:** a.md\n### 2. B\n**subscriptions:** file:a.md\n"),
            &[],
        );
    }

    #[test]
    fn values_come_from_before() {
        let text = |depends: &str| {
            plan(&format!(
                "### 1. A\n{depends}**tool:** write_file\n**args:** {{\"path\": \"a\", \"content\": \"$b.content\"}}\n\
                 ### 2. B\n**id:** b\n**depends_on:** none\n**tool:** read_file\n**args:** {{\"path\": \"a\"}}\n"
            ))
        };
        check(
            Code::OrderError,
            &text(""),
            &[
                "$b.content | step `step-1` uses what step `b` gives, which comes later | \
               move step `b` before step `step-1`",
            ],
        );
        check(Code::OrderError, &text("**depends_on:** none\n"), &[]);
    }
}
