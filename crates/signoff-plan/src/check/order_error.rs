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
//! Move the producing step before, or name it under `**depends_on:**`.

use super::context::Context;
use super::path_outside_workspace::is_outside;
use super::provided::{Absence, Way, absence};
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let steps: Vec<_> = context.steps().collect();
    for step in &steps {
        for (path, span) in step.files() {
            let Some(Absence::NotWaitedFor(index, way)) = absence(context, *step, &path) else {
                continue;
            };
            let (Some(source), false) = (steps.get(index), is_outside(&path)) else {
                continue;
            };
            let verb = match way {
                Way::Produces => "produces",
                Way::Names => "seems to write",
            };
            let (id, other) = (step.id(), source.id());
            let message = format!(
                "step `{id}` needs `{path}`, which step `{other}` {verb}, but does not wait for it"
            );
            let help = if context.graph.waits_for(source.index, step.index) {
                format!("move step `{other}` before step `{id}`")
            } else {
                format!("add `{other}` to `**depends_on:**`")
            };
            let found = step.problem(Code::OrderError, span, message);
            problems.push(found.related(source.span(), "made here").help(help));
        }
    }
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
}
