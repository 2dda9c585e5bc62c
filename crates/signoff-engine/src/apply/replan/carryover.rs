//! What each step keeps under another version of its plan.

use signoff_plan::diff::{definition_hash, text_hash};
use signoff_plan::expression::read;
use signoff_plan::model::Step;

use super::unmet;
use crate::event::InboxKind;
use crate::state::{Run, Stage, StepState, StepStatus};

/// What a step keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Carryover {
    /// It is done and stays done.
    Finished,
    /// It waits on a person or is an expanded loop, and continues.
    Underway,
    /// It is new, or starts over.
    Over,
}

/// What each step of the new plan keeps; `pairs` has its position in the old plan.
pub(super) fn carryovers(old: &Run, new: &Run, pairs: &[Option<usize>]) -> Vec<Carryover> {
    let alone = |(at, from): (usize, &Option<usize>)| {
        from.map_or(Carryover::Over, |from| of_step(old, new, from, at))
    };
    let mut fates: Vec<Carryover> = pairs.iter().enumerate().map(alone).collect();
    let steps = || {
        pairs
            .iter()
            .enumerate()
            .filter_map(|(at, from)| Some((at, (*from)?)))
    };
    // A condition was false because of values that may change.
    let decided: Vec<usize> = steps()
        .filter(|(at, from)| is_skipped(old, *from) && rests_on_lost(new, &fates, *at))
        .map(|(at, _)| at)
        .collect();
    demote(&mut fates, decided);
    // A question is asked again once the dependencies are met.
    let early: Vec<usize> = steps()
        .filter(|(_, from)| !old.children.contains_key(from))
        .filter(|(at, _)| fates.get(*at) == Some(&Carryover::Underway))
        .filter(|(at, _)| !unmet(new, &fates, *at).is_empty())
        .map(|(at, _)| at)
        .collect();
    demote(&mut fates, early);
    fates
}

fn demote(fates: &mut [Carryover], positions: Vec<usize>) {
    for at in positions {
        if let Some(fate) = fates.get_mut(at) {
            *fate = Carryover::Over;
        }
    }
}

fn of_step(old: &Run, new: &Run, from: usize, at: usize) -> Carryover {
    let (Some((was, state)), Some(is)) = (old.step(from), new.definition(at)) else {
        return Carryover::Over;
    };
    if !is_same(old, new, was, is) {
        return Carryover::Over;
    }
    let is_loop = old.children.contains_key(&from);
    match by_itself(old, state) {
        Carryover::Finished if state.status == StepStatus::Skipped => {
            let same = was.when == is.when && params_are_same(old, new);
            if same {
                Carryover::Finished
            } else {
                Carryover::Over
            }
        }
        Carryover::Finished => Carryover::Finished,
        Carryover::Underway | Carryover::Over if is_loop => Carryover::Underway,
        Carryover::Underway if text_is_same(old, new, from, at) => Carryover::Underway,
        Carryover::Underway | Carryover::Over => Carryover::Over,
    }
}

/// What an item keeps if its loop continues.
pub(super) fn of_item(old: &Run, new: &Run, from: usize, at: usize) -> Carryover {
    let fate = old
        .steps
        .get(from)
        .map_or(Carryover::Over, |state| by_itself(old, state));
    match fate {
        Carryover::Underway if !text_is_same(old, new, from, at) => Carryover::Over,
        Carryover::Finished | Carryover::Underway | Carryover::Over => fate,
    }
}

/// What a step would keep by its state alone.
fn by_itself(old: &Run, state: &StepState) -> Carryover {
    let skipped = state.status == StepStatus::Skipped && state.satisfies;
    if state.status == StepStatus::Completed || state.stage == Stage::Provisional || skipped {
        return Carryover::Finished;
    }
    let Stage::Waiting { item } = &state.stage else {
        return Carryover::Over;
    };
    // The new version may add the missing budget, or be the revision that was requested.
    let is_met = |kind| matches!(kind, InboxKind::Budget | InboxKind::Revision);
    match old.inbox.items.get(item) {
        Some(open) if !is_met(open.kind) => Carryover::Underway,
        Some(_) | None => Carryover::Over,
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
fn rests_on_lost(new: &Run, fates: &[Carryover], at: usize) -> bool {
    let when = new.definition(at).and_then(|step| step.when.as_deref());
    let reads = when.and_then(|when| read(when).ok());
    let finished = |id: &str| {
        let fate = new.position(id).and_then(|at| fates.get(at));
        fate == Some(&Carryover::Finished)
    };
    reads.is_some_and(|reads| reads.steps.iter().any(|read| !finished(read.id)))
}
