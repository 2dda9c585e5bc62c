//! A step is marked done or skipped, and is carried out all the same.
//!
//! ## Why
//! What a file says of itself is nobody's evidence. A step that is marked done and has a contract is checked by
//! it, and not done again if it holds; without a contract there is nothing to check, so a run does it. A mark
//! does not skip a step either.
//!
//! ## Example
//! ```text
//! { "id": "send", "tool": "mail.send", "args": { "to": "all" }, "status": "completed" }
//! ```
//!
//! ## Instead
//! Take the step out of the plan if its work is done, or give it a contract that shows it. In a run,
//! `signoff step skip` leaves a step out.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::model::Work;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let is_judged =
            step.resolved.contract.is_some() && matches!(step.resolved.work, Work::Agent { .. });
        let is_skipped = step.resolved.mark.as_deref() == Some("skipped");
        if !is_skipped && (!step.resolved.claimed || is_judged) {
            continue;
        }
        let marks = &step.written.marks;
        let word = marks.statuses.last().map(|mark| &mark.word);
        let span = word.map_or(step.span(), |word| word.span);
        let said = if is_skipped { "skipped" } else { "done" };
        let message = format!(
            "step `{}` is marked {said}, and a run carries it out all the same",
            step.id()
        );
        problems.push(step.problem(Code::MarkIgnored, span, message).help(
            "take it out of the plan if nothing is to be done, or give it a contract that shows that it is done",
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn marks_that_change_nothing_are_said() {
        let help = "take it out of the plan if nothing is to be done, or give it a contract that shows that it is done";
        let toolplan = |status: &str| {
            format!(
                r#"{{"id": "p", "steps": [{{"id": "a", "tool": "read_file", "args": {{"path": "x"}}, "status": "{status}"}}]}}"#
            )
        };
        for status in ["pending", "ready", "failed", "running", "blocked"] {
            check(Code::MarkIgnored, &toolplan(status), &[]);
        }
        for (status, said) in [("completed", "done"), ("skipped", "skipped")] {
            check(
                Code::MarkIgnored,
                &toolplan(status),
                &[&format!(
                    "{status} | step `a` is marked {said}, and a run carries it out all the same | {help}"
                )],
            );
        }
        // Its contract decides.
        check(
            Code::MarkIgnored,
            &plan("### 1. ✅ A\n**task:** x\n**contract:** `make`\n"),
            &[],
        );
    }
}
