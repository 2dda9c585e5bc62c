//! Stopping, and going on after a stop or a crash.

use signoff_plan::model::{Step, Work};

use super::attempt::unverified;
use super::call::{after_call, cut_off};
use super::merge::after_merge;
use super::person::{Word, consequence, escalate, push_once};
use super::policy::block_dependents;
use crate::Millis;
use crate::event::{CallEnd, Event, PauseReason};
use crate::state::{Run, Stage, StepState, StepStatus};
use crate::verdict::ProcessEnd;

/// Times an attempt may be cut off before a person is asked.
const MAX_INTERRUPTIONS: u32 = 3;

/// Going on after a crash: attempts that were cut off are named, and consequences that were lost
/// with the end of the journal are recorded now.
pub(super) fn resume(run: &Run, now: Millis, by: String) -> Vec<Event> {
    let mut events = vec![Event::RunResumed {
        reopened: false,
        by,
    }];
    for &at in &run.active {
        let Some((definition, state)) = run.step(at) else {
            continue;
        };
        if let Some((choice, by)) = &state.turn.answered {
            let word = Word {
                choice: *choice,
                note: state.advice.hint.as_deref(),
                by,
            };
            for event in consequence(run, definition, state, word) {
                push_once(&mut events, event);
            }
            continue;
        }
        match &state.stage {
            // A check has no work that could have been cut off: `apply` asks for its evaluation again.
            Stage::Working { .. } if definition.work == Work::Check => {}
            Stage::Working { attempt } if is_tool(definition) => {
                events.extend(cut_off(run, definition, state, *attempt, false));
            }
            Stage::Working { attempt } => {
                events.extend(interrupted(run, definition, state, *attempt));
            }
            Stage::NeedsEvaluation { .. }
                if definition.contract.is_none() && is_tool(definition) =>
            {
                events.extend(lost_call(run, now, definition, state));
            }
            Stage::NeedsEvaluation { .. } if definition.contract.is_none() => {
                let ended = state
                    .attempt
                    .work_ended
                    .clone()
                    .unwrap_or(ProcessEnd::Exited(0));
                events.extend(unverified(run, now, definition, state, &ended));
            }
            Stage::NeedsMerge { .. } if state.attempt.commit.is_some() => {
                events.extend(after_merge(run, now, definition, state));
            }
            Stage::Idle
            | Stage::NeedsBaseline
            | Stage::Assembling { .. }
            | Stage::NeedsMerge { .. }
            | Stage::Merging { .. }
            | Stage::Baselining
            | Stage::NeedsWork
            | Stage::NeedsEvaluation { .. }
            | Stage::Evaluating { .. }
            | Stage::Rechecking
            | Stage::Expanded
            | Stage::Waiting { .. }
            | Stage::Provisional
            | Stage::Ended => {}
        }
    }
    for event in lost_blocks(run) {
        push_once(&mut events, event);
    }
    events
}

fn interrupted(run: &Run, definition: &Step, state: &StepState, attempt: u32) -> Vec<Event> {
    let mut events = vec![Event::AttemptInterrupted {
        step: definition.id.clone(),
        attempt,
        stopped: false,
    }];
    if state.turn.interruptions >= MAX_INTERRUPTIONS {
        events.extend(escalate(
            run,
            definition,
            state,
            "it was cut off again and again",
        ));
    }
    events
}

/// Blocks that were lost with the end of the journal.
fn lost_blocks(run: &Run) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for (definition, state) in run.steps() {
        let lost = matches!(
            state.status,
            StepStatus::Failed | StepStatus::Skipped | StepStatus::Blocked
        );
        // What was built on a step that regressed has evidence of its own.
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

pub(super) fn stop(run: &Run) -> Vec<Event> {
    let mut events = cut_off_steps(run);
    events.push(Event::RunPaused {
        reason: PauseReason::Interrupted,
    });
    events
}

/// What becomes of the steps whose work was ended by a person's wish.
pub(super) fn cut_off_steps(run: &Run) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for &at in &run.active {
        let Some((definition, state)) = run.step(at) else {
            continue;
        };
        let Stage::Working { attempt } = state.stage else {
            continue;
        };
        match definition.work {
            Work::Check => {}
            Work::Tool { .. } => events.extend(cut_off(run, definition, state, attempt, true)),
            Work::Agent { .. } | Work::Ask { .. } => events.push(Event::AttemptInterrupted {
                step: definition.id.clone(),
                attempt,
                stopped: true,
            }),
        }
    }
    events
}

fn is_tool(definition: &Step) -> bool {
    matches!(definition.work, Work::Tool { .. })
}

/// The consequence of a call whose end was journaled and nothing after it. A failure left no value;
/// what it was is lost, so the call counts as a failed attempt.
fn lost_call(run: &Run, now: Millis, definition: &Step, state: &StepState) -> Vec<Event> {
    let end = match &state.values.output {
        Some(value) => CallEnd::Done(value.clone()),
        None => CallEnd::Failed {
            message: "its call failed".to_owned(),
            transient: true,
            unknown: false,
        },
    };
    after_call(run, now, definition, state, &end)
}
