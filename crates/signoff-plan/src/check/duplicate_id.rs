//! Two steps have one id.
//!
//! ## Why
//! References, marks and results name steps by id.
//!
//! ## Example
//! ```text
//! ### 1. Build
//! **id:** build
//! ### 2. Build again
//! **id:** build
//! ```
//!
//! ## Instead
//! An id of its own for each. A step without one is `step-N`.

use super::bad_id;
use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        if let Some(id) = &step.written.id {
            problems.extend(bad_id::step(context.draft, step.index, id));
        }
        let first = context.position(step.id());
        match first.filter(|first| *first != step.index) {
            None => {}
            Some(first) => {
                let span = id_span(step);
                let other = context.step(first).map_or(span, id_span);
                let message = format!("two steps have the id `{}`", step.id());
                let found = step.problem(Code::DuplicateId, span, message);
                problems.push(found.with_related(other, "first here").help(format!(
                    "give one of them another `{}`",
                    context.draft.dialect.spell("id")
                )));
            }
        }
    }
}

fn id_span(step: StepView<'_>) -> Span {
    step.written.id.as_ref().map_or(step.span(), |id| id.span)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn ids_are_unique_even_where_not_written() {
        check(
            Code::DuplicateId,
            &plan("### 1. A\n**id:** a\n### 2. B\n**id:** A\n"),
            &[],
        );
        check(
            Code::DuplicateId,
            &plan("### 1. A\n**id:** a\n### 2. B\n**id:** a\n"),
            &["a | two steps have the id `a` | give one of them another `**id:**`"],
        );
        check(
            Code::DuplicateId,
            &plan("### 1. A\n**id:** step-2\n### 2. B\n"),
            &["B | two steps have the id `step-2` | give one of them another `**id:**`"],
        );
    }
}
