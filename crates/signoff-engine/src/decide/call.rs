//! A tool step: the harness calls a tool itself and sees the result.

use serde_json::Value;
use signoff_plan::model::{RetriedFailures, Step, Work};

use super::evidence::facts;
use super::gate::ask_at_gate;
use super::person::{Question, open_item};
use super::policy::{attempt_failed, retries_exhausted};
use super::{Refusal, begin, with_step};
use crate::Millis;
use crate::event::{CallEnd, Choice, Event, InboxKind, ToolCall};
use crate::evidence::Grade;
use crate::state::{Run, StepState};

pub(super) fn call_impossible(
    run: &Run,
    at: usize,
    problems: &[String],
) -> Result<Vec<Event>, Refusal> {
    let mut events = begin(run, at, |_| Vec::new())?;
    events.extend(with_step(run, at, |definition, state| {
        // A retry would make the same call.
        retries_exhausted(run, definition, state, &problems.join("; "))
    })?);
    Ok(events)
}

pub(super) fn call_needs_approval(
    run: &Run,
    at: usize,
    args: &Value,
    why: &str,
) -> Result<Vec<Event>, Refusal> {
    let Some((definition, _)) = run.step(at) else {
        return with_step(run, at, |_, _| Vec::new());
    };
    let question = format!(
        "may step `{}` call {}? {why}",
        definition.id,
        call_text(definition, args)
    );
    let choices = vec![Choice::Approve, Choice::Deny];
    ask_at_gate(
        run,
        at,
        Question::new(InboxKind::Approval, question, choices),
    )
}

/// The call as a person sees it: `tool` with its arguments.
pub(super) fn call_text(definition: &Step, args: &Value) -> String {
    match &definition.work {
        Work::Tool { tool, .. } => format!("`{tool}` with {args}"),
        Work::Agent { .. } | Work::Ask { .. } | Work::Check => definition.title.clone(),
    }
}

pub(super) fn call_begins(
    run: &Run,
    at: usize,
    attempt: u32,
    call: ToolCall,
) -> Result<Vec<Event>, Refusal> {
    if run.made_call(at).is_some() {
        return Err(Refusal::OutOfPlace {
            what: "a call that was made already",
        });
    }
    begin(run, at, |step| {
        vec![
            Event::AttemptStarted {
                step: step.clone(),
                attempt,
                base: None,
            },
            Event::CallStarted {
                step,
                attempt,
                call,
            },
        ]
    })
}

pub(super) fn call_ended(
    run: &Run,
    now: Millis,
    at: usize,
    attempt: u32,
    end: CallEnd,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, state| {
        let state = &StepState {
            made_call: state.made_call.after_end(&end),
            ..state.clone()
        };
        let mut events = vec![Event::CallFinished {
            step: definition.id.clone(),
            attempt,
            end: end.clone(),
        }];
        events.extend(after_call(run, now, definition, state, &end));
        events
    })
}

/// It is certain that the call was not made: the attempt is void.
pub(super) fn call_not_made(run: &Run, at: usize, attempt: u32) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, _| {
        vec![Event::AttemptInterrupted {
            step: definition.id.clone(),
            attempt,
            stopped: true,
            report: None,
        }]
    })
}

/// The events after a call. If the step has a contract, the state asks for its evaluation.
pub(super) fn after_call(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
    end: &CallEnd,
) -> Vec<Event> {
    match end {
        CallEnd::Done(_) if definition.contract.is_some() => Vec::new(),
        // Its changes count once they are merged.
        CallEnd::Done(_) if run.in_worktrees() && state.attempt.changed_tree => Vec::new(),
        CallEnd::Done(_) => vec![Event::StepCompleted {
            step: definition.id.clone(),
            attempts: state.attempts,
            evidence: Grade::Observed,
            facts: facts(run, definition, state),
        }],
        CallEnd::Failed {
            message,
            unknown: true,
            ..
        } if state.made_call.get().is_some() => {
            ask_about_unknown_call(run, definition, state, message)
        }
        CallEnd::Failed {
            message,
            transient: false,
            ..
        } if definition.on_fail.failures == RetriedFailures::Transient => {
            retries_exhausted(run, definition, state, message)
        }
        CallEnd::Failed { message, .. } => attempt_failed(run, now, definition, state, message),
    }
}

/// A call whose result is unknown: it is repeated if that is harmless; otherwise a person is asked.
pub(super) fn call_cut_off(
    run: &Run,
    definition: &Step,
    state: &StepState,
    attempt: u32,
    stopped: bool,
) -> Vec<Event> {
    if state.made_call.get().is_none() {
        return vec![Event::AttemptInterrupted {
            step: definition.id.clone(),
            attempt,
            stopped,
            report: None,
        }];
    }
    ask_about_unknown_call(run, definition, state, "the harness ended")
}

/// Only a person can find out whether a call took place.
fn ask_about_unknown_call(
    run: &Run,
    definition: &Step,
    state: &StepState,
    why: &str,
) -> Vec<Event> {
    let args = state.made_call.get().map(|call| &call.args);
    let question = format!(
        "step `{}` was cut off while it called {} ({why}); it is not known whether the call took place",
        definition.id,
        call_text(definition, args.unwrap_or(&Value::Null))
    );
    let choices = vec![Choice::Happened, Choice::Retry, Choice::Skip, Choice::Abort];
    let question = Question::new(InboxKind::UnknownCall, question, choices);
    open_item(run, definition, question)
}
