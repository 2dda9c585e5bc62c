//! What a step's policy says after a failed attempt.

use std::collections::BTreeSet;

use signoff_plan::model::{FailAction, Step};

use super::model::request_recovery;
use super::person::escalate;
use super::replan::replan_after_failure;
use crate::Millis;
use crate::backoff::pause;
use crate::event::Event;
use crate::state::{Run, StepState, StepStatus};

pub(super) fn start_over(definition: &Step, reason: &str) -> Event {
    Event::RetryScheduled {
        step: definition.id.clone(),
        not_before: 0,
        counted: false,
        reason: reason.to_owned(),
    }
}

pub(super) fn attempt_failed(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
    reason: &str,
) -> Vec<Event> {
    let failures = state.activation.failures + 1;
    if failures <= definition.on_fail.retries && state.made_call.get().is_some() {
        // The policy wants another attempt, which would make the call again.
        return escalate(run, definition, state, reason);
    }
    if failures <= definition.on_fail.retries {
        return vec![Event::RetryScheduled {
            step: definition.id.clone(),
            not_before: now + pause(run.settings.backoff, failures, &run.id, &definition.id),
            counted: true,
            reason: reason.to_owned(),
        }];
    }
    retries_exhausted(run, definition, state, reason)
}

/// What the policy says when no retries are left, or when none would help.
pub(super) fn retries_exhausted(
    run: &Run,
    definition: &Step,
    state: &StepState,
    reason: &str,
) -> Vec<Event> {
    // A model may decide to go on without a step only if it is not critical.
    if definition.on_fail.then == FailAction::Recover {
        return request_recovery(run, definition, state, reason);
    }
    if !definition.critical {
        return fail_step(run, definition, state, reason);
    }
    match definition.on_fail.then {
        FailAction::Abort => fail_step(run, definition, state, reason),
        FailAction::Skip => skip_and_block(run, definition, reason),
        FailAction::Replan => replan_after_failure(run, definition, state, reason, "policy"),
        FailAction::Escalate | FailAction::Recover => escalate(run, definition, state, reason),
    }
}

/// What follows if a model should decide and cannot: the run goes on without a step that is not critical; a person
/// decides about any other.
pub(super) fn without_a_model(
    run: &Run,
    definition: &Step,
    state: &StepState,
    reason: &str,
) -> Vec<Event> {
    if definition.critical {
        escalate(run, definition, state, reason)
    } else {
        fail_step(run, definition, state, reason)
    }
}

pub(super) fn fail_step(
    run: &Run,
    definition: &Step,
    state: &StepState,
    reason: &str,
) -> Vec<Event> {
    let mut events = vec![Event::StepFailed {
        step: definition.id.clone(),
        attempts: state.attempts,
        reason: reason.to_owned(),
    }];
    events.extend(block_dependents(run, definition));
    events
}

/// Skips a step and blocks its dependents.
pub(super) fn skip_and_block(run: &Run, definition: &Step, reason: &str) -> Vec<Event> {
    let mut events = vec![Event::StepSkipped {
        step: definition.id.clone(),
        reason: reason.to_owned(),
        satisfies: false,
    }];
    events.extend(block_dependents(run, definition));
    events
}

/// Would the failure of a dependency block this step? It need not be pending: dependents of a provisional
/// step go on before a person refuses it. A step that was done under an earlier version of the plan stays
/// done.
fn needs_its_dependencies(run: &Run, at: usize) -> bool {
    run.steps.get(at).is_some_and(|step| {
        let stands_alone = step.outcome.kept && step.satisfies;
        let lost = matches!(
            step.status,
            StepStatus::Failed | StepStatus::Skipped | StepStatus::Blocked
        );
        !stands_alone && !lost
    })
}

/// Everything that can no longer run because of this step, in plan order.
pub(super) fn block_dependents(run: &Run, cause: &Step) -> Vec<Event> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<usize> = run.index.get(&cause.id).copied().into_iter().collect();
    // Steps from this position on that wait for all earlier steps have been visited.
    let mut visited_from = run.steps.len();
    while let Some(at) = open.pop() {
        let waiting_for_all = (at + 1..visited_from).filter(|&later| run.waits_for_all(later));
        let named = run.dependents.get(at).into_iter().flatten().copied();
        let dependents: Vec<usize> = waiting_for_all.chain(named).collect();
        visited_from = visited_from.min(at + 1);
        for dependent in dependents {
            if needs_its_dependencies(run, dependent) && reached.insert(dependent) {
                open.push(dependent);
            }
        }
    }
    reached
        .into_iter()
        .filter_map(|at| run.definition(at))
        .map(|step| Event::StepBlocked {
            step: step.id.clone(),
            by: cause.id.clone(),
        })
        .collect()
}
