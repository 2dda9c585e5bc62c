//! What each step keeps under another version of its plan.

use signoff_plan::diff::{definition_hash, text_hash};
use signoff_plan::expression::read;
use signoff_plan::model::Step;

use super::unmet_dependencies;
use crate::event::InboxKind;
use crate::state::{Run, Stage, StepState, StepStatus};

/// What a step keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carryover {
    /// It is done and stays done.
    KeepFinished,
    /// It waits on a person or is an expanded loop, and continues.
    Continue,
    /// It is new, or starts over.
    StartOver,
}

/// What each step of the new plan keeps; `pairs` has its position in the old plan.
pub(super) fn carryovers(old: &Run, new: &Run, pairs: &[Option<usize>]) -> Vec<Carryover> {
    let alone = |(at, from): (usize, &Option<usize>)| {
        from.map_or(Carryover::StartOver, |from| of_step(old, new, from, at))
    };
    let mut carryovers: Vec<Carryover> = pairs.iter().enumerate().map(alone).collect();
    let steps = || {
        pairs
            .iter()
            .enumerate()
            .filter_map(|(at, from)| Some((at, (*from)?)))
    };
    // A condition was false because of values that may change.
    let decided: Vec<usize> = steps()
        .filter(|(at, from)| is_skipped(old, *from) && rests_on_lost(new, &carryovers, *at))
        .map(|(at, _)| at)
        .collect();
    start_over_at(&mut carryovers, decided);
    // A question is asked again once the dependencies are met.
    let early: Vec<usize> = steps()
        .filter(|(_, from)| !old.children.contains_key(from))
        .filter(|(at, _)| carryovers.get(*at) == Some(&Carryover::Continue))
        .filter(|(at, _)| !unmet_dependencies(new, &carryovers, *at).is_empty())
        .map(|(at, _)| at)
        .collect();
    start_over_at(&mut carryovers, early);
    carryovers
}

fn start_over_at(carryovers: &mut [Carryover], positions: Vec<usize>) {
    for at in positions {
        if let Some(carryover) = carryovers.get_mut(at) {
            *carryover = Carryover::StartOver;
        }
    }
}

fn of_step(old: &Run, new: &Run, from: usize, at: usize) -> Carryover {
    let (Some((was, state)), Some(is)) = (old.step(from), new.definition(at)) else {
        return Carryover::StartOver;
    };
    if !is_same(old, new, was, is) {
        return Carryover::StartOver;
    }
    let is_loop = old.children.contains_key(&from);
    match carryover_of_state(old, state) {
        Carryover::KeepFinished if state.status == StepStatus::Skipped => {
            let same = was.when == is.when && params_are_same(old, new);
            if same {
                Carryover::KeepFinished
            } else {
                Carryover::StartOver
            }
        }
        Carryover::KeepFinished => Carryover::KeepFinished,
        Carryover::Continue | Carryover::StartOver if is_loop => Carryover::Continue,
        Carryover::Continue if text_is_same(old, new, from, at) => Carryover::Continue,
        Carryover::Continue | Carryover::StartOver => Carryover::StartOver,
    }
}

/// What an item keeps if its loop continues.
pub(super) fn of_item(old: &Run, new: &Run, from: usize, at: usize) -> Carryover {
    let carryover = old
        .steps
        .get(from)
        .map_or(Carryover::StartOver, |state| carryover_of_state(old, state));
    match carryover {
        Carryover::Continue if !text_is_same(old, new, from, at) => Carryover::StartOver,
        Carryover::KeepFinished | Carryover::Continue | Carryover::StartOver => carryover,
    }
}

/// What a step would keep by its state alone.
fn carryover_of_state(old: &Run, state: &StepState) -> Carryover {
    let skipped = state.status == StepStatus::Skipped && state.satisfies;
    if state.status == StepStatus::Completed || state.stage == Stage::Provisional || skipped {
        return Carryover::KeepFinished;
    }
    let Stage::Waiting { item } = &state.stage else {
        return Carryover::StartOver;
    };
    // The new version may add the missing budget, or be the revision that was requested.
    let is_met = |kind| matches!(kind, InboxKind::Budget | InboxKind::Revision);
    match old.inbox.items.get(item) {
        Some(open) if !is_met(open.kind) => Carryover::Continue,
        Some(_) | None => Carryover::StartOver,
    }
}

/// Are the definitions equal in everything that matters for the result?
fn is_same(old: &Run, new: &Run, was: &Step, is: &Step) -> bool {
    let loops = (&was.for_each, was.max_items) == (&is.for_each, is.max_items)
        && (is.for_each.is_none() || params_are_same(old, new));
    loops && definition_hash(was) == definition_hash(is)
}

/// Are the definitions equal, texts for people and agents included?
pub(super) fn text_is_same(old: &Run, new: &Run, from: usize, at: usize) -> bool {
    match (old.definition(from), new.definition(at)) {
        (Some(was), Some(is)) => text_hash(was) == text_hash(is),
        _ => false,
    }
}

fn params_are_same(old: &Run, new: &Run) -> bool {
    old.plan().params == new.plan().params
}

fn is_skipped(old: &Run, from: usize) -> bool {
    (old.steps.get(from)).is_some_and(|step| step.status == StepStatus::Skipped)
}

/// Does the step's condition read a step that is no longer finished?
fn rests_on_lost(new: &Run, carryovers: &[Carryover], at: usize) -> bool {
    let when = new.definition(at).and_then(|step| step.when.as_deref());
    let reads = when.and_then(|when| read(when).ok());
    let finished = |id: &str| {
        let carryover = new.position(id).and_then(|at| carryovers.get(at));
        carryover == Some(&Carryover::KeepFinished)
    };
    reads.is_some_and(|reads| reads.steps.iter().any(|read| !finished(read.id)))
}
