//! How a run ends.

use crate::event::{ContractCache, Event, Outcome};
use crate::state::{Run, StepState, StepStatus};

pub(super) fn finish(run: &Run) -> Vec<Event> {
    let outcome = outcome(run);
    vec![Event::RunFinished { outcome }]
}

fn outcome(run: &Run) -> Outcome {
    let mut outcome = Outcome::Completed;
    for (definition, state) in run.steps() {
        let lost = matches!(state.status, StepStatus::Failed | StepStatus::Blocked);
        // Work that was merged after a warm verdict only must not land, even if its step is not critical.
        if state.outcome.regressed && run.settings.cache == ContractCache::Warm {
            return Outcome::Failed;
        }
        let unfinished = !matches!(
            state.status,
            StepStatus::Completed | StepStatus::Skipped | StepStatus::Failed | StepStatus::Blocked
        );
        if unfinished || (lost && definition.critical && !blocked_by_uncritical(run, state)) {
            return Outcome::Failed;
        }
        if lost {
            outcome = Outcome::Partial;
        }
    }
    outcome
}

/// A blocked step does not fail the run if what blocks it was not critical.
fn blocked_by_uncritical(run: &Run, state: &StepState) -> bool {
    state.status == StepStatus::Blocked
        && state
            .outcome
            .reason
            .as_ref()
            .and_then(|by| run.index.get(by))
            .and_then(|&at| run.step(at))
            .is_some_and(|(cause, _)| !cause.critical)
}
