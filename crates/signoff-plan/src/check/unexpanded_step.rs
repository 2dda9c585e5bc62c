//! A heading stands for steps that are not written yet.
//!
//! ## Why
//! `### 3–N.` says that there will be more steps, not which; they follow from what earlier steps produce. The plan can be
//! signed up to there. A run that comes to such a step stops: `signoff plan --expand` has the steps drafted from the files
//! that the step subscribes to, and you sign the difference. A step whose number is not known yet (`### N+1.`) is as it will
//! be, and waits for its number.
//!
//! ## Example
//! ```text
//! ### 3–N. Migrate file batch
//! ```
//!
//! ## Instead
//! If the steps are known already: one heading per step, or one step with `**for_each:**`.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};

const HELP: &str = "a run stops there, and `signoff plan --expand` has them drafted; if they are known already, write \
                    each step out, or one step with `**for_each:**`";

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        if let Some(token) = &step.written.unexpanded {
            let title = &step.resolved.title;
            let message = format!(
                "step `{}. {title}` stands for steps that are not written yet",
                token.value
            );
            let found = step.problem(Code::UnexpandedStep, token.span, message);
            problems.push(found.help(HELP));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn ranges_are_named() {
        check(
            Code::UnexpandedStep,
            &plan("### 1. A\n### 2–N. B\n### N+1. C\n"),
            &[
                &format!("2–N | step `2–N. B` stands for steps that are not written yet | {HELP}"),
                &format!("N+1 | step `N+1. C` stands for steps that are not written yet | {HELP}"),
            ],
        );
    }
}
