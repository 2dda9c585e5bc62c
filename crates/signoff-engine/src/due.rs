//! What may happen now.

use signoff_plan::model::{Step, Work};

use crate::Millis;
use crate::budget::exceeded;
use crate::state::{Run, Stage, StepState, wants_baseline};

/// Steps that may be under way at once. One: they share the checkout.
const AT_ONCE: usize = 1;

/// Something for the runtime to perform. Each yields an [`Input`](crate::Input).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Run the contract before the work, to see it red.
    Baseline { step: usize },
    /// Start a fresh agent.
    Dispatch { step: usize, attempt: u32 },
    /// Run the contract; `patience` multiplies its time limit.
    Evaluate {
        step: usize,
        attempt: u32,
        patience: u32,
    },
    /// Evaluate the step's condition, or ask for its approval, or its question: the engine can
    /// do that by itself.
    Gate { step: usize },
    /// Ask a person for more budget before this step's agent.
    AskForBudget { step: usize },
    /// Ask a person about the steps that have no contract, all at once.
    AskForAcceptance,
    /// Nothing before this time.
    Wait { until: Millis },
    /// Every step has ended.
    Finish,
}

/// The actions now possible, in plan order, in time proportional to their number.
pub fn due(run: &Run, now: Millis) -> Vec<Action> {
    if !run.started || run.outcome.is_some() || run.pause.is_some() {
        return Vec::new();
    }
    let mut actions: Vec<Action> = run
        .active
        .iter()
        .filter(|_| !run.aborting)
        .filter_map(|&at| next(run, at, now))
        .collect();
    let free = if run.aborting {
        0
    } else {
        AT_ONCE.saturating_sub(run.active.len())
    };
    actions.extend(
        run.ready
            .iter()
            .take(free)
            .filter_map(|&at| first(run, at, now)),
    );
    let idle = actions.is_empty() && !run.in_flight();
    let settled = run.items.is_empty() && run.active.is_empty();
    if idle && settled && !run.aborting && !run.provisional.is_empty() {
        actions.push(Action::AskForAcceptance);
    } else if idle && (run.aborting || settled) {
        actions.push(Action::Finish);
    }
    actions
}

/// The first action of a step that has not begun.
fn first(run: &Run, at: usize, now: Millis) -> Option<Action> {
    let (definition, state) = run.step(at)?;
    if is_closed(definition, state) {
        return Some(Action::Gate { step: at });
    }
    if wants_baseline(definition, &run.settings) {
        return Some(Action::Baseline { step: at });
    }
    work(run, at, now)
}

/// The next action of a step under way.
fn next(run: &Run, at: usize, now: Millis) -> Option<Action> {
    let (definition, state) = run.step(at)?;
    match state.stage {
        Stage::NeedsBaseline | Stage::NeedsWork if is_closed(definition, state) => {
            Some(Action::Gate { step: at })
        }
        Stage::NeedsBaseline => Some(Action::Baseline { step: at }),
        Stage::NeedsWork if state.not_before > now => Some(Action::Wait {
            until: state.not_before,
        }),
        Stage::NeedsWork => work(run, at, now),
        Stage::NeedsEvaluation { attempt } => Some(Action::Evaluate {
            step: at,
            attempt,
            patience: 1 + state.inconclusive.min(1),
        }),
        Stage::Idle
        | Stage::Baselining
        | Stage::Working { .. }
        | Stage::Evaluating { .. }
        | Stage::Waiting { .. }
        | Stage::Provisional
        | Stage::Ended => None,
    }
}

/// Does something stand before the step's work that has not been settled?
fn is_closed(definition: &Step, state: &StepState) -> bool {
    (definition.when.is_some() && !state.condition_held) || (definition.approval && !state.approved)
}

fn work(run: &Run, at: usize, now: Millis) -> Option<Action> {
    let (definition, state) = run.step(at)?;
    let attempt = state.attempts + 1;
    match definition.work {
        Work::Agent { .. } if exceeded(run, now).is_some() => {
            Some(Action::AskForBudget { step: at })
        }
        Work::Agent { .. } => Some(Action::Dispatch { step: at, attempt }),
        Work::Check => Some(Action::Evaluate {
            step: at,
            attempt,
            patience: 1,
        }),
        Work::Ask { .. } => Some(Action::Gate { step: at }),
        // `unsupported` refuses such a plan before it starts.
        Work::Tool { .. } => None,
    }
}
