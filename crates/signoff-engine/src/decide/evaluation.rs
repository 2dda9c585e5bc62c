//! The contract after the work: its run, its verdict, and what follows.

use signoff_plan::model::{Step, Work};

use super::attempt::journaled_observation;
use super::evidence::completion;
use super::person::escalate;
use super::policy::{attempt_failed, start_over};
use super::recheck::after_recheck;
use super::verdict::{AttemptVerdict, attempt_verdict, still_missing};
use super::{Refusal, begin, with_step};
use crate::Millis;
use crate::event::Event;
use crate::state::{Run, Stage, StepState};
use crate::verdict::{Observation, Verdict, count_after, is_repeated};

pub(super) fn evaluation_begins(run: &Run, at: usize, attempt: u32) -> Result<Vec<Event>, Refusal> {
    begin(run, at, |step| {
        let is_check = run.step(at).is_some_and(|(definition, state)| {
            definition.work == Work::Check && state.attempts < attempt
        });
        let again = run
            .steps
            .get(at)
            .is_some_and(|step| step.stage == Stage::Ended);
        let mut events = Vec::new();
        if is_check && !again {
            events.push(Event::AttemptStarted {
                step: step.clone(),
                attempt,
                base: None,
            });
        }
        events.push(Event::ContractStarted {
            step,
            attempt,
            again,
        });
        events
    })
}

/// What one evaluation says about an attempt.
pub(super) struct Evaluation {
    pub(super) verdict: Verdict,
    /// Why it fails.
    pub(super) reason: String,
    /// The contract holds and the attempt fails all the same, even if it was interrupted.
    despite_contract: bool,
    /// What the attempt changed is known.
    is_recorded: bool,
    /// Another evaluation would end the same way.
    pub(super) is_final: bool,
}

pub(super) fn evaluation_ended(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    observed: Observation,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let observed = count_after(definition.contract.as_ref(), observed);
        let state = &with_observation(state, &observed);
        let AttemptVerdict {
            verdict,
            unmet,
            despite_contract,
        } = attempt_verdict(run, definition, state, &observed);
        // In the checkout, `changes` comes from earlier attempts unless this evaluation recorded them again.
        let is_fresh = observed.changes.is_some() || state.attempt.candidate.is_some();
        let is_void = observed.void.is_some();
        let evaluation = Evaluation {
            verdict,
            reason: unmet.join("; "),
            despite_contract,
            is_recorded: is_fresh && state.changes.files.is_some(),
            is_final: is_void
                || !observed.left_out.is_empty()
                || still_missing(definition, state, &observed).is_some(),
        };
        let mut events = vec![Event::ContractFinished {
            step: definition.id.clone(),
            attempt,
            verdict,
            unmet,
            observed: journaled_observation(run, at, observed),
        }];
        // A void evaluation runs again and uses up no attempt.
        if !(is_void && is_repeated(state.attempt.void + 1)) {
            events.extend(if state.stage == Stage::Rechecking {
                after_recheck(run, at, definition, state, &evaluation)
            } else {
                after_evaluation(run, now, definition, state, &evaluation)
            });
        }
        events
    })
}

/// The step's state with the results of this evaluation.
fn with_observation(state: &StepState, observed: &Observation) -> StepState {
    let changes = observed.changes.as_deref().unwrap_or(&state.changes);
    StepState {
        changes: changes.clone().into(),
        contract: state.contract.after_evaluation(observed).into(),
        ..state.clone()
    }
}

/// Why an interrupted attempt does not count although its contract holds.
const UNRECORDED: &str = "the attempt was cut off, and what it changed is not known";

/// The events after the contract judged an attempt.
fn after_evaluation(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
    evaluation: &Evaluation,
) -> Vec<Event> {
    let reason = &evaluation.reason;
    let was_interrupted = state.attempt.interrupted;
    match evaluation.verdict {
        Verdict::Pass if was_interrupted && !evaluation.is_recorded => {
            vec![start_over(definition, UNRECORDED)]
        }
        Verdict::Pass => attempt_passed(run, now, definition, state),
        Verdict::Fail if was_interrupted && !evaluation.despite_contract => {
            vec![start_over(definition, "the attempt was cut off")]
        }
        Verdict::Fail => {
            let reason = match state.attempt.obstructed_by() {
                Some(hindrance) => &format!("{reason}; {hindrance}"),
                None => reason,
            };
            attempt_failed(run, now, definition, state, reason)
        }
        Verdict::Inconclusive if evaluation.is_final || state.attempt.inconclusive > 0 => {
            let reason = format!("its contract gave no answer: {reason}");
            escalate(run, definition, state, &reason)
        }
        // It runs once more with twice the time limit before a person is asked; no attempt is used up.
        Verdict::Inconclusive => Vec::new(),
    }
}

fn attempt_passed(run: &Run, now: Millis, definition: &Step, state: &StepState) -> Vec<Event> {
    if let Some(failure) = state.ended_badly() {
        let reason = format!("{failure}, and its contract was not seen to fail before");
        return attempt_failed(run, now, definition, state, &reason);
    }
    // The verdict on a candidate counts once the candidate is merged.
    if state.attempt.candidate.is_some() {
        return Vec::new();
    }
    vec![completion(run, definition, state)]
}
