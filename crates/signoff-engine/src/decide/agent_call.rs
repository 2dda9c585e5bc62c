//! Calls that the harness makes for an agent at work, at tools of servers.

use signoff_plan::model::Step;

use super::person::escalate;
use super::{Refusal, with_step};
use crate::event::{CallEnd, Event, ToolCall};
use crate::state::{Run, StepState};

pub(super) fn agent_call_begins(
    run: &Run,
    at: usize,
    attempt: u32,
    number: u32,
    call: ToolCall,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, _| {
        vec![Event::AgentCallStarted {
            step: definition.id.clone(),
            attempt,
            number,
            call,
        }]
    })
}

/// The end of a call is recorded even if the agent did not wait for it.
pub(super) fn agent_call_ended(
    run: &Run,
    at: usize,
    attempt: u32,
    number: u32,
    end: CallEnd,
) -> Result<Vec<Event>, Refusal> {
    with_step(run, at, |definition, _| {
        vec![Event::AgentCallFinished {
            step: definition.id.clone(),
            attempt,
            number,
            end,
        }]
    })
}

/// The agent was cut off while the harness made calls for it. The next attempt might make them again, so a person is asked
/// first where that could do harm.
pub(super) fn ask_about_agent_calls(run: &Run, definition: &Step, state: &StepState) -> Vec<Event> {
    let calls = state.attempt.agent_calls.values();
    let calls = calls.filter(|call| !call.repeatable);
    let calls = calls.map(|call| format!("`{}` with {}", call.tool, call.args));
    let calls: Vec<String> = calls.collect();
    if calls.is_empty() {
        return Vec::new();
    }
    let reason = format!(
        "its agent was cut off while it called {}; it is not known whether the call took place, and another attempt may make it again",
        calls.join(", ")
    );
    escalate(run, definition, state, &reason)
}
