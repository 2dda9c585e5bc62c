//! One attempt: the contract before the work, the work, the contract after it.

use signoff_plan::model::{Step, Work};

use super::person::{ask, escalate};
use super::policy::{attempt_failed, start_over};
use super::{Refusal, begin, with_step};
use crate::Millis;
use crate::event::{Accept, Event, ItemKind, WorkItem};
use crate::evidence::{Facts, Grade};
use crate::state::{Run, StepState};
use crate::verdict::{Observation, ProcessEnd, Verdict, baseline_verdict, judge, tail};

pub(super) fn work_begins(step: String, attempt: u32, item: WorkItem) -> Vec<Event> {
    vec![
        Event::AttemptStarted {
            step: step.clone(),
            attempt,
        },
        Event::WorkItem {
            step,
            attempt,
            item,
        },
    ]
}

pub(super) fn baseline_ended(
    run: &Run,
    at: usize,
    observed: Observation,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let expect = definition
            .contract
            .as_ref()
            .map_or(&[][..], |contract| &contract.expect);
        let verdict = baseline_verdict(expect, &observed);
        let mut events = vec![Event::BaselineFinished {
            step: definition.id.clone(),
            verdict,
            observed: recorded(run, at, observed),
        }];
        if definition.claimed && verdict == Verdict::Pass {
            events.push(Event::StepCompleted {
                step: definition.id.clone(),
                attempts: state.attempts,
                evidence: Grade::Held,
                facts: facts(run, definition, state),
            });
        }
        events
    })
}

pub(super) fn work_ended(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    ended: ProcessEnd,
    text: String,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let mut events = vec![Event::WorkFinished {
            step: definition.id.clone(),
            attempt,
            ended: ended.clone(),
            text: tail(text),
        }];
        if let ProcessEnd::NotStarted(why) = &ended {
            // No fault of an agent's: trying again would end the same way.
            let reason = format!("its agent cannot be started: {why}");
            events.extend(escalate(run, definition, state, &reason));
        } else if definition.contract.is_none() {
            events.extend(unverified(run, now, definition, state, &ended));
        }
        events
    })
}

/// An agent step without a contract is not done, whatever its agent says: a person decides.
pub(super) fn unverified(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
    ended: &ProcessEnd,
) -> Vec<Event> {
    if !ended.succeeded() {
        return attempt_failed(
            run,
            now,
            definition,
            state,
            &format!("the agent ended: {ended}"),
        );
    }
    match run.settings.accept {
        Accept::End => vec![Event::StepProvisional {
            step: definition.id.clone(),
            attempts: state.attempts,
        }],
        Accept::Step => {
            let question = format!("step `{}` has no contract: is it done?", definition.id);
            ask(run, definition, ItemKind::Acceptance, question)
        }
    }
}

pub(super) fn evaluation_begins(run: &Run, at: usize, attempt: u32) -> Result<Vec<Event>, Refusal> {
    begin(run, at, |step| {
        let is_check = run.step(at).is_some_and(|(definition, state)| {
            definition.work == Work::Check && state.attempts < attempt
        });
        let mut events = Vec::new();
        if is_check {
            events.push(Event::AttemptStarted {
                step: step.clone(),
                attempt,
            });
        }
        events.push(Event::ContractStarted { step, attempt });
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
        let expect = definition
            .contract
            .as_ref()
            .map_or(&[][..], |contract| &contract.expect);
        let (verdict, unmet) = judge(expect, &observed);
        let reason = unmet.join("; ");
        let mut events = vec![Event::ContractFinished {
            step: definition.id.clone(),
            attempt,
            verdict,
            unmet,
            observed: recorded(run, at, observed),
        }];
        events.extend(match verdict {
            Verdict::Pass => passed(run, now, definition, state),
            Verdict::Fail if state.interrupted => {
                vec![start_over(definition, "the attempt was cut off")]
            }
            Verdict::Fail => attempt_failed(run, now, definition, state, &reason),
            // Once more with twice the time before a person is asked; no attempt is used up.
            Verdict::Inconclusive if state.inconclusive == 0 => Vec::new(),
            Verdict::Inconclusive => escalate(
                run,
                definition,
                state,
                &format!("its contract gave no answer: {reason}"),
            ),
        });
        events
    })
}

/// What the journal keeps of an observation.
fn recorded(run: &Run, at: usize, observed: Observation) -> Observation {
    if run.read.contains(&at) {
        observed.readable()
    } else {
        observed.shortened()
    }
}

fn passed(run: &Run, now: Millis, definition: &Step, state: &StepState) -> Vec<Event> {
    let proved = state.baseline == Some(Verdict::Fail);
    if let Some(ended) = state
        .work_ended
        .as_ref()
        .filter(|ended| !ended.succeeded() && !proved)
    {
        let reason =
            format!("the agent ended: {ended}, and its contract was not seen to fail before");
        return attempt_failed(run, now, definition, state, &reason);
    }
    vec![Event::StepCompleted {
        step: definition.id.clone(),
        attempts: state.attempts,
        evidence: if proved { Grade::Proved } else { Grade::Held },
        facts: facts(run, definition, state),
    }]
}

pub(super) fn facts(run: &Run, definition: &Step, state: &StepState) -> Facts {
    Facts {
        sandbox: run.settings.sandbox.clone(),
        claimed: definition.claimed,
        interrupted: state.interrupted,
        agent_failed: state
            .work_ended
            .as_ref()
            .is_some_and(|ended| !ended.succeeded()),
        repaired_by: state.repaired_by.clone(),
        accepted_by: None,
    }
}
