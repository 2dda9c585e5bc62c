//! A heading stands for several steps.
//!
//! ## Why
//! `### 3–N.` says that there will be more steps, not which. Nobody can sign what is not written.
//!
//! ## Example
//! ```text
//! ### 3–N. Migrate file batch
//! ```
//!
//! ## Instead
//! One heading per step, or one step with `**for_each:**`.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        if let Some(token) = &step.written.unexpanded {
            let title = &step.resolved.title;
            let message = format!(
                "step `{}. {title}` stands for steps that are not written yet",
                token.value
            );
            let found = step.problem(Code::UnexpandedStep, token.span, message);
            problems.push(found.help("write each step out, or one step with `**for_each:**`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn ranges_must_be_written_out() {
        const HELP: &str = "write each step out, or one step with `**for_each:**`";
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
