//! Failures of plans: their state, their log, and changes after signing.

use signoff_engine::{ForbiddenTransition, PlanState, Transition};
use signoff_runtime::error::SignedDifference;
use signoff_store::journal::JournalError;

use super::Failure;
use super::storage::file;
use crate::shell_words::shell_word;

/// A plan's log was changed, or cannot be read.
pub(super) fn plan_log(error: &JournalError) -> Failure {
    let log = match error {
        JournalError::Corrupt { path, .. }
        | JournalError::Shorter { path, .. }
        | JournalError::NoHead { path }
        | JournalError::OtherPlan { path, .. } => path.clone(),
        // `NAME.head.json` beside `NAME.jsonl`.
        JournalError::BadHead { path, .. } => path.with_extension("").with_extension("jsonl"),
        JournalError::File(error) => return file(error),
        JournalError::Busy { .. } | JournalError::Touched { .. } | JournalError::Unknown { .. } => {
            return Failure::of(6, "plan-log").hint("repeat the command");
        }
        JournalError::BadEvent { .. } => return Failure::of(6, "plan-log"),
    };
    let is_in_git = log.ancestors().any(|above| above.join(".git").exists());
    let word = |path: &std::path::Path| shell_word(&path.display().to_string());
    let (log, head) = (word(&log), word(&signoff_store::plan_log::head_path(&log)));
    let failure = Failure::of(6, "plan-log");
    let failure = if is_in_git {
        failure.hint(format!("restore it: `git restore {log} {head}`"))
    } else {
        failure.hint(format!("restore {log} and {head} from a backup"))
    };
    failure.hint(format!(
            "or start over: `rm -f {log} {head}`, then `signoff propose PLAN`; this loses past rejections and cancellations"
        ))
}

/// The plan's state, or the actor's rights, do not allow an act.
pub(super) fn forbidden_act(forbidden: &ForbiddenTransition) -> Failure {
    let (exit, code) = match forbidden {
        ForbiddenTransition::State { .. } => (5, "state"),
        ForbiddenTransition::Actor { .. } => (4, "person-only"),
    };
    let failure = Failure::of(exit, code);
    let ForbiddenTransition::State {
        state, possible, ..
    } = forbidden
    else {
        return failure.hint("ask the person who runs the plan to do it in their own terminal");
    };
    let commands: Vec<String> = possible.iter().filter_map(|act| command_of(*act)).collect();
    let failure = match state {
        PlanState::Completed | PlanState::Cancelled => {
            failure.hint("`signoff clone PLAN` copies it as a new plan")
        }
        PlanState::Executing => failure.hint(
            "a run of it has not ended: `signoff status PLAN` shows its state and what it waits for, `signoff resume PLAN` continues it",
        ),
        _ => failure,
    };
    match commands.as_slice() {
        [] => failure,
        _ => failure.hint(format!("possible now: {}", commands.join(", "))),
    }
}

/// The command for an act, if there is one.
fn command_of(act: Transition) -> Option<String> {
    match act {
        Transition::Edit => Some("editing its text".to_owned()),
        Transition::Approve
        | Transition::Reject
        | Transition::Revise
        | Transition::Cancel
        | Transition::Start
        | Transition::Resume
        | Transition::Retry => Some(format!("`signoff {} PLAN`", act.verb())),
        Transition::RunAgain => Some("`signoff run PLAN --again`".to_owned()),
        Transition::Verify
        | Transition::Escalate
        | Transition::Expire
        | Transition::Complete
        | Transition::Fail
        | Transition::Stall
        | Transition::Replan => None,
    }
}

/// The plan or its terms changed since they were signed.
pub(super) fn plan_changed(plan: &str, difference: &SignedDifference) -> Failure {
    differing(difference).hints([
        format!(
            "if the change is right, sign it: `signoff approve {}`",
            shell_word(plan)
        ),
        format!(
            "if not, {}; the signature still holds",
            way_back(difference)
        ),
    ])
}

/// How to take a difference back: where only the settings or the environment differ, no file would help.
fn way_back(difference: &SignedDifference) -> &'static str {
    let is_of_file = |line: &String| {
        let ends = ["since it was signed", "and is gone", "when it was signed"];
        let others = ["terms: ", "tool `", "PATH "];
        ends.iter().any(|end| line.ends_with(end))
            && !others.iter().any(|one| line.starts_with(one))
    };
    if !difference.plan.is_empty() || difference.broken.is_some() {
        "restore the file"
    } else if difference.terms.iter().any(is_of_file) {
        "restore what changed"
    } else if difference
        .terms
        .iter()
        .all(|line| line.starts_with("PATH "))
    {
        "type the command with the PATH it was signed with"
    } else {
        "take the change back"
    }
}

/// The plan or its terms changed during a run, which only carries out what was signed.
pub(super) fn plan_changed_during_run(
    run: &str,
    plan: &str,
    difference: &SignedDifference,
) -> Failure {
    let name = shell_word(plan);
    differing(difference).hints([
        format!("if the change is wrong, undo it; then `signoff resume {run}` continues the run"),
        format!(
            "if it is right, sign it: `signoff approve {name}`; then `signoff resume {run}` continues the run with it"
        ),
    ])
}

fn differing(difference: &SignedDifference) -> Failure {
    let failure = Failure::of(4, "changed");
    difference_lines(difference)
        .into_iter()
        .fold(failure, Failure::detail)
}

/// What is said where the digests differ and no field does.
pub(crate) const UNSEEN_DIFFERENCE: &str = "(the difference is in how ids or defaults resolve)";

/// A difference, a line for each change.
fn difference_lines(difference: &SignedDifference) -> Vec<String> {
    let mut lines: Vec<String> = difference.broken.iter().cloned().collect();
    for change in &difference.plan {
        lines.extend(change.to_string().lines().map(str::to_owned));
    }
    lines.extend(difference.terms.iter().cloned());
    if difference.is_empty() {
        lines.push(UNSEEN_DIFFERENCE.to_owned());
    }
    lines
}
