//! A step of a toolplan is marked done or skipped in the file, and is carried out unless an earlier run here has done it.
//!
//! ## Why
//! What a file says of itself is nobody's evidence. Where an agent's step has a contract, that is run first and
//! can show that nothing is left to do; a call of a tool is simply made.
//!
//! ## Example
//! ```text
//! { "id": "send", "tool": "mail.send", "args": { "to": "all" }, "status": "completed" }
//! ```
//!
//! ## Instead
//! Take the step out of the plan if its work is done. In a run, `signoff step skip` leaves a step out.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::spelling::Dialect;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    if context.draft.dialect != Dialect::Toolplan {
        return;
    }
    for step in context.steps() {
        let is_skipped = step.resolved.mark.as_deref() == Some("skipped");
        if !is_skipped && !step.resolved.claimed {
            continue;
        }
        let word = step.written.marks.statuses.last().map(|mark| &mark.word);
        let span = word.map_or(step.span(), |word| word.span);
        let said = if is_skipped { "skipped" } else { "done" };
        let message = format!(
            "step `{}` is marked {said} in the file, which decides nothing: it is carried out unless an earlier run here has done it",
            step.id()
        );
        let found = step.problem(Code::MarkIgnored, span, message);
        problems.push(found.help("take it out of the plan if nothing is to be done"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn marks_that_change_nothing_are_said() {
        let help = "take it out of the plan if nothing is to be done";
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
                    "{status} | step `a` is marked {said} in the file, which decides nothing: it is carried out unless an earlier run here has done it | {help}"
                )],
            );
        }
        // Where a contract can decide, it does.
        check(
            Code::MarkIgnored,
            &plan("### 1. ✅ A\n**task:** x\n**contract:** `make`\n"),
            &[],
        );
    }
}
