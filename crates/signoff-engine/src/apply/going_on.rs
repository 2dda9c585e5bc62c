//! Going on: after a crash or a pause, and after a failure.

use signoff_plan::model::Work;

use super::readiness::make_ready;
use crate::state::{Run, Stage, StepStatus};

/// After a crash or a pause, what was under way has to be asked for again.
pub(super) fn resume(run: &mut Run, reopened: bool) {
    run.pause = None;
    let active: Vec<usize> = run.active.iter().copied().collect();
    for at in active {
        let is_check =
            (run.signed.plan().steps.get(at)).is_some_and(|step| step.work == Work::Check);
        let Some(step) = run.steps.get_mut(at) else {
            continue;
        };
        match step.stage {
            Stage::Working { attempt } if is_check => {
                step.stage = Stage::NeedsEvaluation { attempt };
            }
            Stage::Baselining => step.stage = Stage::NeedsBaseline,
            Stage::Evaluating { attempt } => step.stage = Stage::NeedsEvaluation { attempt },
            // The engine decides about these by `AttemptInterrupted`.
            Stage::Working { .. } => {}
            Stage::Idle
            | Stage::NeedsBaseline
            | Stage::NeedsWork
            | Stage::NeedsEvaluation { .. }
            | Stage::Waiting { .. }
            | Stage::Provisional
            | Stage::Ended => {}
        }
    }
    if reopened {
        reopen(run);
    }
}

/// Lets failed and blocked steps, and those that were skipped and block them, run again; what passed
/// stays passed.
fn reopen(run: &mut Run) {
    run.outcome = None;
    run.aborting = false;
    for at in 0..run.steps.len() {
        let Some(step) = run.steps.get_mut(at) else {
            continue;
        };
        // A step that was skipped and blocks others has to come first if they are to run.
        let blocks = step.status == StepStatus::Skipped && !step.satisfies;
        if !blocks && !matches!(step.status, StepStatus::Failed | StepStatus::Blocked) {
            continue;
        }
        run.ended -= usize::from(step.stage == Stage::Ended);
        step.reason = None;
        step.failures = 0;
        step.interruptions = 0;
        step.not_before = 0;
        step.condition_held = false;
        step.status = StepStatus::Pending;
        step.stage = Stage::Idle;
        make_ready(run, at);
    }
}
