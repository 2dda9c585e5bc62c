//! The plan has no steps.
//!
//! ## Why
//! There would be nothing to run and nothing to sign.
//!
//! ## Example
//! A title and no `### 1. …` heading.
//!
//! ## Instead
//! `## Steps`, then one `### N. Title` heading per step.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::spelling::Dialect;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    // A file that is not a plan, or too large to be read, needs no steps.
    let readable = context.draft.anchors.insert_status.is_some();
    if context.plan.steps.is_empty() && readable {
        let found = context.problem(Code::NoSteps, context.plan_span(), "the plan has no steps");
        let found = found.with_missing_field(MissingFieldScope::Here(&["steps"]));
        problems.push(found.help(match context.draft.dialect {
            Dialect::Workunit => "add `## Steps`, then `### 1. Title` for the first step",
            Dialect::Thread => "add `tasks/01-slug.md` for the first task",
            Dialect::Proposal => "add `## Steps`, then `1. What to do (tool: operation)`",
            Dialect::Record | Dialect::Toolplan => "add an object to `steps`",
        }));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn a_plan_has_steps() {
        check(Code::NoSteps, &plan("### 1. A\n"), &[]);
        check(
            Code::NoSteps,
            &plan("#### 1. A\n"),
            &[
                "Title | the plan has no steps | add `## Steps`, then `### 1. Title` for the first step",
            ],
        );
    }
}
