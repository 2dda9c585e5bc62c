//! Stopping, and going on after a stop or a crash.

use signoff_plan::model::Step;

use super::Refusal;
use super::agent_call::ask_about_agent_calls;
use super::attempt::end_without_contract;
use super::call::{after_call, call_cut_off};
use super::merge::after_merge;
use super::person::{Answer, escalate, events_of_answer, push_once};
use super::policy::block_dependents;
use super::replan::lost_replan;
use crate::Millis;
use crate::event::{AgentReport, CallEnd, Event, PauseReason};
use crate::input::AgentReports;
use crate::recovery::{CutOff, cut_off};
use crate::state::{Answered, Run, StepState, StepStatus};

/// How often attempts may be interrupted before a person is asked.
const MAX_INTERRUPTIONS: u32 = 3;

/// Continues after a crash: records which attempts were interrupted, and the consequences that the
/// journal lost at its end.
pub(super) fn resume(
    run: &Run,
    now: Millis,
    by: String,
    mut reports: AgentReports,
    elsewhere: Vec<String>,
) -> Result<Vec<Event>, Refusal> {
    if !run.started || run.outcome.is_some() {
        return Err(Refusal::OutOfPlace { what: "going on" });
    }
    let mut events = vec![Event::RunResumed {
        reopened: false,
        by,
        elsewhere: elsewhere.clone(),
    }];
    for &at in &run.schedule.active {
        let Some((definition, state)) = run.step(at) else {
            continue;
        };
        if elsewhere.contains(&definition.id) {
            continue;
        }
        let after = after_crash(run, now, definition, state, reports.remove(&at));
        if state.activation.answered.is_some() {
            for event in after {
                push_once(&mut events, event);
            }
        } else {
            events.extend(after);
        }
    }
    for event in missing_blocks(run) {
        push_once(&mut events, event);
    }
    events.extend(lost_replan(run));
    Ok(events)
}

fn after_crash(
    run: &Run,
    now: Millis,
    definition: &Step,
    state: &StepState,
    report: Option<AgentReport>,
) -> Vec<Event> {
    match cut_off(definition, state) {
        CutOff::Agent { attempt } => interrupt_attempt(run, definition, state, attempt, report),
        CutOff::Call { attempt } => call_cut_off(run, definition, state, attempt, false),
        CutOff::Answer(Answered { choice, by }) => {
            let note = state.advice.hint.as_deref();
            events_of_answer(run, definition, state, Answer::new(*choice, note, by))
        }
        CutOff::AfterAgent => end_without_contract(run, now, definition, state),
        CutOff::AfterCall => consequence_of_call(run, now, definition, state),
        CutOff::AfterMerge => after_merge(run, now, definition, state),
        // `apply` puts these back to where they are requested again.
        CutOff::Harness(_) | CutOff::Recheck | CutOff::Nothing => Vec::new(),
    }
}

fn interrupt_attempt(
    run: &Run,
    definition: &Step,
    state: &StepState,
    attempt: u32,
    report: Option<AgentReport>,
) -> Vec<Event> {
    let mut events = vec![Event::AttemptInterrupted {
        step: definition.id.clone(),
        attempt,
        stopped: false,
        report: report.map(Box::new),
    }];
    let unknown = ask_about_agent_calls(run, definition, state);
    if !unknown.is_empty() {
        events.extend(unknown);
    } else if state.activation.interruptions >= MAX_INTERRUPTIONS {
        events.extend(escalate(
            run,
            definition,
            state,
            "it was cut off again and again",
        ));
    }
    events
}

/// `step_blocked` events that the journal lost at its end.
fn missing_blocks(run: &Run) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (definition, state) in run.steps() {
        let lost = matches!(
            state.status,
            StepStatus::Failed | StepStatus::Skipped | StepStatus::Blocked
        );
        // Dependents of a step that regressed have evidence of their own.
        if lost && !state.satisfies && !state.outcome.regressed {
            for event in block_dependents(run, definition) {
                if !events.iter().any(|known| known.step() == event.step()) {
                    events.push(event);
                }
            }
        }
    }
    events
}

pub(super) fn stop_run(run: &Run, trouble: Option<String>, reports: AgentReports) -> Vec<Event> {
    let mut events = cut_off_steps(run, reports);
    let reason = match trouble {
        Some(_) => PauseReason::Trouble,
        None => PauseReason::Interrupted,
    };
    events.push(Event::RunPaused { reason, trouble });
    events
}

/// Records which agents and calls a person stopped.
pub(super) fn cut_off_steps(run: &Run, mut reports: AgentReports) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for &at in &run.schedule.active {
        let Some((definition, state)) = run.step(at) else {
            continue;
        };
        match cut_off(definition, state) {
            CutOff::Agent { attempt } => {
                events.push(Event::AttemptInterrupted {
                    step: definition.id.clone(),
                    attempt,
                    stopped: true,
                    report: reports.remove(&at).map(Box::new),
                });
                events.extend(ask_about_agent_calls(run, definition, state));
            }
            CutOff::Call { attempt } => {
                events.extend(call_cut_off(run, definition, state, attempt, true));
            }
            // What the harness itself was doing is requested again on resume.
            CutOff::Harness(_)
            | CutOff::Recheck
            | CutOff::Answer(_)
            | CutOff::AfterAgent
            | CutOff::AfterCall
            | CutOff::AfterMerge
            | CutOff::Nothing => {}
        }
    }
    events
}

/// The consequence of a call whose end is the last thing in the journal. Without a value it failed, and the reason is
/// lost.
fn consequence_of_call(run: &Run, now: Millis, definition: &Step, state: &StepState) -> Vec<Event> {
    let end = match &state.values.output {
        Some(value) => CallEnd::Done(value.clone()),
        None => CallEnd::Failed {
            message: "its call failed".to_owned(),
            transient: true,
            unknown: state.made_call.get().is_some(),
        },
    };
    after_call(run, now, definition, state, &end)
}
