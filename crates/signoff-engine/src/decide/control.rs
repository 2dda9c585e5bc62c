//! What a person does to a run as a whole, or to one step of it.

use super::Refusal;
use super::policy::block_dependents;
use super::recovery::cut_off_steps;
use crate::event::{Event, Outcome};
use crate::input::AgentReports;
use crate::state::{Run, Stage, StepStatus};

/// Dependents of such a step have begun already, and its question is about several steps.
const TO_ACCEPT: &str = "is done and waits to be accepted; answer that";

/// Gives the run up: what was under way has failed, and nothing else is tried.
pub(super) fn abort(run: &Run, by: &str, reports: AgentReports) -> Vec<Event> {
    let mut events = cut_off_steps(run, reports);
    events.retain(|event| matches!(event, Event::AttemptInterrupted { .. }));
    for &at in &run.schedule.active {
        let Some((definition, state)) = run.step(at) else {
            continue;
        };
        if state.stage == Stage::Rechecking {
            continue;
        }
        events.push(Event::StepFailed {
            step: definition.id.clone(),
            attempts: state.attempts,
            reason: format!("aborted by {by}"),
        });
        for blocked in block_dependents(run, definition) {
            super::person::push_once(&mut events, blocked);
        }
    }
    events.push(Event::RunFinished {
        outcome: Outcome::Failed,
    });
    events
}

pub(super) fn skip_step(run: &Run, id: &str, by: &str) -> Result<Vec<Event>, Refusal> {
    let state = known_step(run, id)?;
    let why = match state.status {
        _ if matches!(run.outcome, Some(Outcome::Completed | Outcome::Partial)) => {
            Some("belongs to a run that is completed")
        }
        _ if state.stage.in_flight() => Some("is under way; stop the run first"),
        _ if state.stage == Stage::Provisional => Some(TO_ACCEPT),
        _ if state.stage == Stage::Expanded => Some("is a loop that has begun; skip its items"),
        StepStatus::Completed => Some("is completed, which cannot be changed"),
        StepStatus::Skipped => Some("is skipped already"),
        StepStatus::Blocked => Some("is blocked; skip the step that blocks it"),
        StepStatus::Failed
        | StepStatus::Pending
        | StepStatus::Ready
        | StepStatus::Running
        | StepStatus::Verifying
        | StepStatus::Waiting => None,
    };
    if let Some(why) = why {
        let step = id.to_owned();
        return Err(Refusal::NotNow { step, why });
    }
    Ok(vec![Event::StepSkipped {
        step: id.to_owned(),
        reason: format!("skipped by {by}"),
        satisfies: true,
    }])
}

pub(super) fn retry_step(
    run: &Run,
    step: String,
    hint: Option<String>,
    by: String,
) -> Result<Vec<Event>, Refusal> {
    let state = known_step(run, &step)?;
    let why = match state.status {
        _ if matches!(run.outcome, Some(Outcome::Completed)) => {
            Some("belongs to a run that is completed")
        }
        _ if state.stage == Stage::Provisional => Some(TO_ACCEPT),
        // Its agent waits for an answer, with its process.
        _ if state.stage.in_flight() => Some("is being tried"),
        StepStatus::Failed | StepStatus::Waiting | StepStatus::Skipped => None,
        StepStatus::Blocked => Some("is blocked; let the step that blocks it be tried again"),
        StepStatus::Completed => Some("is completed, which cannot be changed"),
        StepStatus::Pending | StepStatus::Ready => Some("has not been tried yet"),
        StepStatus::Running | StepStatus::Verifying => Some("is being tried"),
    };
    if let Some(why) = why {
        return Err(Refusal::NotNow { step, why });
    }
    if state.status == StepStatus::Skipped && state.satisfies {
        let why = "was skipped, and what came after it went on";
        return Err(Refusal::NotNow { step, why });
    }
    Ok(vec![Event::StepRetried { step, hint, by }])
}

fn known_step<'a>(run: &'a Run, id: &str) -> Result<&'a crate::state::StepState, Refusal> {
    let state = run.position(id).and_then(|at| run.steps.get(at));
    state.ok_or_else(|| Refusal::NoStep {
        step: id.to_owned(),
    })
}
