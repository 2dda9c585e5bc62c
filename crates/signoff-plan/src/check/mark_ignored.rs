//! A step is marked done or skipped in the file, and is carried out unless an earlier run here has done it.
//!
//! ## Why
//! What a file says about itself is not evidence. Where a step that is marked done has a contract, that is run first
//! and can show that nothing is left to do; else the agent simply works, and the call of a tool is simply made. A step
//! that is marked skipped is not skipped.
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
use crate::model::Work;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        let is_skipped = step.resolved.mark.as_deref() == Some("skipped");
        let calls = matches!(step.resolved.work, Work::Tool { .. });
        // Where a contract can decide, it does.
        let is_done = step.resolved.claimed && (calls || step.resolved.contract.is_none());
        if !is_skipped && !is_done {
            continue;
        }
        let word = step.written.marks.statuses.last().map(|mark| &mark.word);
        let tick = step.written.marks.ticks.first().copied();
        let span = word.map_or(tick.unwrap_or(step.span()), |word| word.span);
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
        let found = |word: &str, id: &str, said: &str| {
            format!(
                "{word} | step `{id}` is marked {said} in the file, which decides nothing: it is carried out unless an earlier run here has done it | {help}"
            )
        };
        check(
            Code::MarkIgnored,
            &plan("### 1. A\n**status:** skipped\n**task:** x\n**contract:** `make`\n"),
            &[&found("skipped", "step-1", "skipped")],
        );
        check(
            Code::MarkIgnored,
            "id: p\ntaskId: t\ntask: T\nstatus: draft\nsteps:\n- index: 0\n  description: A\n  status: complete\n- index: 1\n  description: B\n  status: skipped\n",
            &[
                &found("complete", "step-1", "done"),
                &found("skipped", "step-2", "skipped"),
            ],
        );
    }
}
