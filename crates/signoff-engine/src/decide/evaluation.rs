//! The contract after the work: its run, its verdict, and what follows.

use signoff_plan::model::{Step, Work};

use super::attempt::journaled_observation;
use super::confirmation::confirmation;
use super::evidence::completion;
use super::person::escalate;
use super::policy::{attempt_failed, start_over};
use super::verdict::{AttemptVerdict, verdict};
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
        // In the checkout, `changes` comes from earlier attempts unless this evaluation recorded them again.
        let fresh = observed.changes.is_some() || state.attempt.candidate.is_some();
        let recorded = fresh && state.changes.files.is_some();
        let AttemptVerdict {
            verdict,
            unmet,
            despite_contract,
        } = verdict(run, definition, state, &observed);
        let reason = unmet.join("; ");
        let is_void = observed.void.is_some();
        // Running it again would end the same way.
        let is_final = is_void || !observed.left_out.is_empty();
        let mut events = vec![Event::ContractFinished {
            step: definition.id.clone(),
            attempt,
            verdict,
            unmet,
            observed: journaled_observation(run, at, observed),
        }];
        let is_repeated = is_void && is_repeated(state.attempt.void + 1);
        if is_repeated {
            // The evaluation was void: it runs again and uses up no attempt.
            return events;
        }
        events.extend(if state.stage == Stage::Rechecking {
            after_recheck(run, at, (definition, state), (verdict, is_final), &reason)
        } else {
            let outcome = (verdict, is_final || state.attempt.inconclusive > 0);
            match outcome {
                (Verdict::Pass, _) if state.attempt.interrupted && !recorded => {
                    vec![start_over(definition, UNRECORDED)]
                }
                (Verdict::Pass, _) => attempt_passed(run, now, definition, state),
                (Verdict::Fail, _) if state.attempt.interrupted && !despite_contract => {
                    vec![start_over(definition, "the attempt was cut off")]
                }
                (Verdict::Fail, _) => attempt_failed(run, now, definition, state, &reason),
                // It runs once more with twice the time limit before a person is asked; no attempt is used up.
                (Verdict::Inconclusive, false) => Vec::new(),
                (Verdict::Inconclusive, true) => {
                    let reason = format!("its contract gave no answer: {reason}");
                    escalate(run, definition, state, &reason)
                }
            }
        });
        events
    })
}

/// The events after a contract ran once more on the last tree.
fn after_recheck(
    run: &Run,
    at: usize,
    (definition, state): (&Step, &StepState),
    (verdict, is_final): (Verdict, bool),
    reason: &str,
) -> Vec<Event> {
    let reason = match joined_since(run, at) {
        Some(joined) => format!("{reason}; {joined}"),
        None => reason.to_owned(),
    };
    let was_warm = run.unconfirmed.contains(&at);
    let mut events = Vec::new();
    if was_warm && verdict == Verdict::Pass {
        events.extend(confirmation(run, at, definition, state));
    }
    let how = (verdict, is_final, was_warm);
    events.extend(recheck_failure(definition, state, how, &reason));
    events
}

/// The step's state with the results of this evaluation.
fn with_observation(state: &StepState, observed: &Observation) -> StepState {
    let changes = observed.changes.as_deref().unwrap_or(&state.changes);
    StepState {
        changes: changes.clone(),
        contract: state.contract.after_evaluation(observed),
        ..state.clone()
    }
}

/// Why an interrupted attempt does not count although its contract holds.
const UNRECORDED: &str = "the attempt was cut off, and what it changed is not known";

/// Why a step fails if its contract holds only with what earlier contracts built.
const WARM_ONLY: &str = "green warm, red cold: its contract held with what earlier contracts had built, and fails at the end without it";

/// The failure of a contract that ran once more on the last tree; nothing if it holds or is tried again.
fn recheck_failure(
    definition: &Step,
    state: &StepState,
    (verdict, is_final, was_warm): (Verdict, bool, bool),
    reason: &str,
) -> Vec<Event> {
    match verdict {
        Verdict::Pass => Vec::new(),
        Verdict::Inconclusive if state.attempt.inconclusive == 0 && !is_final => Vec::new(),
        Verdict::Fail | Verdict::Inconclusive => {
            let reason = match verdict {
                Verdict::Inconclusive => {
                    format!("its contract gave no answer at the end ({reason})")
                }
                Verdict::Pass | Verdict::Fail if was_warm => {
                    format!("{WARM_ONLY} ({reason})")
                }
                Verdict::Pass | Verdict::Fail => {
                    format!("regressed: its contract no longer holds at the end ({reason})")
                }
            };
            vec![Event::StepFailed {
                step: definition.id.clone(),
                attempts: state.attempts,
                reason,
            }]
        }
    }
}

/// What a person changed in the checkout since the step's contract last held: a likely cause of its failure.
fn joined_since(run: &Run, at: usize) -> Option<String> {
    const SHOWN: usize = 5;
    let held = run.verdicts.iter().find(|(_, step)| *step == at);
    let held = held.map_or(0, |(tree, _)| *tree);
    let since = run.joined.iter().filter(|(_, (tree, _))| *tree > held);
    let mut names: Vec<String> = since
        .map(|(file, (_, deleted))| match deleted {
            true => format!("deleted `{file}`"),
            false => format!("`{file}`"),
        })
        .collect();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    (!names.is_empty()).then(|| format!("your changes joined since it held: {}", names.join(", ")))
}

fn attempt_passed(run: &Run, now: Millis, definition: &Step, state: &StepState) -> Vec<Event> {
    if let Some(ended) = state.ended_badly() {
        let reason =
            format!("the agent ended: {ended}, and its contract was not seen to fail before");
        return attempt_failed(run, now, definition, state, &reason);
    }
    // The verdict on a candidate counts once the candidate is merged.
    if state.attempt.candidate.is_some() {
        return Vec::new();
    }
    vec![completion(run, definition, state)]
}
