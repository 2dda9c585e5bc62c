//! Continues a run under another signed version of its plan.
//!
//! Finished steps stay finished if the new plan asks for the same; everything else starts over. Only the two
//! plans and the state decide, so that a journal with several versions replays to the same state.

mod carryover;

use std::collections::BTreeMap;

use serde_json::Value;
use signoff_plan::diff::{asks_the_same, pairs};
use signoff_plan::model::Step;
use signoff_plan::signed::SignedPlan;

use self::carryover::{Carryover, carryovers, of_item, text_is_same};
use crate::apply::{expand, note_earlier, register_recheck, satisfy_dependents, update_done_count};
use crate::event::{RedoReason, Settings};
use crate::rerun::items_so_far;
use crate::state::{Inbox, InboxItem, LandingState, Run, Stage, StepState, StepStatus, TreeState};

/// A run under another version of its plan.
pub(crate) struct Replanned {
    pub(crate) run: Run,
    /// Steps that stay finished, by their present ids.
    pub(crate) kept: Vec<String>,
    /// Steps that had begun and start over.
    pub(crate) reset: Vec<String>,
}

/// Turns the run so far into one that continues under `signed`.
pub(crate) fn replan_run(old: &Run, signed: SignedPlan, settings: &Settings) -> Replanned {
    let pairs = pairs(old.plan(), signed.plan());
    let mut replanning = Replanning {
        old,
        run: new_run(old, signed, settings),
        moved: BTreeMap::new(),
        reset: Vec::new(),
    };
    carry_earlier(old, &mut replanning.run, &pairs);
    replanning.clear_own_marks(&pairs);
    let kept = carryovers(old, &replanning.run, &pairs);
    for (at, (from, fate)) in pairs.iter().zip(&kept).enumerate() {
        if let Some(from) = *from {
            replanning.carry(
                from,
                at,
                *fate,
                &unmet_dependencies(&replanning.run, &kept, at),
            );
        }
    }
    replanning.satisfy_dependents_of_kept(&kept);
    let Replanning { run, mut reset, .. } = replanning;
    let is_kept = |at: &usize| run.steps.get(*at).is_some_and(|step| step.outcome.kept);
    let id = |at: usize| run.definition(at).map(|step| step.id.clone());
    let kept = run.order().filter(is_kept).filter_map(id).collect();
    reset.sort_unstable();
    let reset = reset.into_iter().filter_map(id).collect();
    Replanned { run, kept, reset }
}

/// A run of the new version in which no step has begun, with the state that belongs to the whole run.
fn new_run(old: &Run, signed: SignedPlan, settings: &Settings) -> Run {
    let mut used = old.used.clone();
    for (id, &at) in &old.index {
        let begun = old.steps.get(at).map_or(0, |step| step.attempts);
        let most = used.entry(id.clone()).or_default();
        *most = begun.max(*most);
    }
    Run {
        id: old.id.clone(),
        // The tree stays the one that the run began on.
        settings: Settings {
            isolation: old.settings.isolation,
            land: old.settings.land,
            cache: old.settings.cache,
            ..settings.clone()
        },
        tree: TreeState {
            // Verdicts are from the previous version: the contracts must hold again at the end of this one.
            version: old.tree.version + 1,
            ..old.tree.clone()
        },
        landing: LandingState {
            head: old.landing.head.clone(),
            held: old.landing.held.clone(),
            ..LandingState::default()
        },
        inbox: Inbox {
            opened: old.inbox.opened,
            ..Inbox::default()
        },
        started: old.started,
        replans: old.replans,
        usage: old.usage.clone(),
        used,
        ..Run::new(signed)
    }
}

/// Takes over what an earlier run knows of the steps, under their present ids. A step that asks for something else now is
/// not kept.
fn carry_earlier(old: &Run, new: &mut Run, pairs: &[Option<usize>]) {
    if old.earlier.is_empty() {
        return;
    }
    for (at, from) in pairs.iter().enumerate() {
        let (Some(from), Some(step)) = (*from, new.definition(at)) else {
            continue;
        };
        let Some(was) = old.definition(from) else {
            continue;
        };
        let id = step.id.clone();
        let is_changed = !asks_the_same(was, step);
        if let Some(mut known) = old.earlier_with_values(from) {
            known.again = known.again.or(is_changed.then_some(RedoReason::Changed));
            // A person who changed the call and signed it wants the new one.
            known.call = known.call.filter(|_| was.work == step.work);
            note_earlier(new, &id, &known);
        }
        for (key, earlier) in old.earlier_items(&was.id) {
            let at = old.position(&format!("{}{key}", was.id));
            let known = at.and_then(|at| old.earlier_with_values(at));
            let known = known.unwrap_or_else(|| earlier.clone());
            note_earlier(new, &format!("{id}{key}"), &known);
        }
    }
}

/// The dependencies of a step that are not finished.
fn unmet_dependencies(run: &Run, carryovers: &[Carryover], at: usize) -> Vec<usize> {
    let done = |before: &usize| carryovers.get(*before) == Some(&Carryover::KeepFinished);
    let dependencies = run.plan().dependencies(at);
    dependencies.filter(|before| !done(before)).collect()
}

/// The new run while the old steps are carried over.
struct Replanning<'a> {
    old: &'a Run,
    run: Run,
    /// New positions of steps that wait on a person, by their old ones.
    moved: BTreeMap<usize, usize>,
    /// Positions of steps that had begun and start over.
    reset: Vec<usize>,
}

impl Replanning<'_> {
    /// Removes marks that the harness itself wrote since the previous version: they are not claims of the author,
    /// and a step that starts over must not have them.
    fn clear_own_marks(&mut self, pairs: &[Option<usize>]) {
        for (at, from) in pairs.iter().enumerate() {
            let Some(step) = self.run.definition(at) else {
                continue;
            };
            let was = from.and_then(|from| self.old.definition(from));
            let claimed = step.claimed && was.is_some_and(|was| was.claimed);
            let mark = step.mark.clone();
            let mark = mark.filter(|_| was.is_some_and(|was| was.mark == step.mark));
            if (claimed, &mark) != (step.claimed, &step.mark) {
                let mut ours = Step {
                    claimed,
                    ..step.clone()
                };
                ours.mark = mark;
                self.run.rendered.insert(at, ours);
            }
        }
    }

    fn carry(&mut self, from: usize, at: usize, fate: Carryover, unmet: &[usize]) {
        if fate == Carryover::StartOver {
            self.remember_items(from, at);
            return self.start_over(from, at);
        }
        let items = self.old.children.get(&from);
        if let Some(items) = items {
            self.carry_items(items, at, fate, unmet);
        }
        match fate {
            Carryover::Continue if items.is_some() => self.continue_loop(from, at, unmet),
            Carryover::Continue => self.keep_waiting(from, at),
            Carryover::KeepFinished | Carryover::StartOver => self.finish(from, at),
        }
    }

    /// A loop that starts over may have another list; items that are still in it keep their results.
    fn remember_items(&mut self, from: usize, at: usize) {
        let Some(step) = self.run.definition(at) else {
            return;
        };
        if step.for_each.is_some() {
            let id = step.id.clone();
            let is_newly_read = self.run.is_read(at) && !self.old.is_read(from);
            for (key, earlier) in items_so_far(self.old, from, is_newly_read) {
                note_earlier(&mut self.run, &format!("{id}[{key}]"), &earlier);
            }
        }
    }

    fn carry_items(&mut self, items: &[usize], at: usize, of_loop: Carryover, unmet: &[usize]) {
        let old = self.old;
        let value = |from: &usize| {
            let item = old.steps.get(*from).and_then(|step| step.item.clone());
            item.map_or(Value::Null, |item| item.value)
        };
        let values: Vec<Value> = items.iter().map(value).collect();
        expand(&mut self.run, at, &values);
        let positions = self.run.children.get(&at);
        let positions = positions
            .expect("`expand` gives every loop its list")
            .clone();
        for (&from, at) in items.iter().zip(positions) {
            let fate = match of_loop {
                Carryover::KeepFinished => Carryover::KeepFinished,
                Carryover::Continue | Carryover::StartOver => of_item(old, &self.run, from, at),
            };
            match fate {
                Carryover::KeepFinished => self.finish(from, at),
                Carryover::Continue if unmet.is_empty() => self.keep_waiting(from, at),
                Carryover::Continue | Carryover::StartOver => {
                    self.start_over(from, at);
                    self.make_item_wait(at, unmet);
                }
            }
        }
    }

    /// Makes an item wait for the unmet dependencies of its loop, which no longer waits itself.
    fn make_item_wait(&mut self, at: usize, unmet: &[usize]) {
        for &before in unmet {
            if let Some(list) = self.run.dependents.get_mut(before) {
                list.push(at);
            }
        }
        if let Some(step) = self.run.steps.get_mut(at) {
            step.waits_for = unmet.len();
        }
        if !unmet.is_empty() {
            self.run.schedule.ready.remove(&at);
        }
    }

    /// Makes the loop wait only for its items.
    fn continue_loop(&mut self, from: usize, at: usize, unmet: &[usize]) {
        for &before in unmet {
            if let Some(list) = self.run.dependents.get_mut(before) {
                list.retain(|&dependent| dependent != at);
            }
        }
        if let (Some(step), Some(was)) = (self.run.steps.get_mut(at), self.old.steps.get(from)) {
            step.activation.condition_held = was.activation.condition_held;
            step.activation.approved = was.activation.approved;
        }
    }

    fn start_over(&mut self, from: usize, at: usize) {
        let same = text_is_same(self.old, &self.run, from, at);
        let (Some(step), Some(was)) = (self.run.steps.get_mut(at), self.old.steps.get(from)) else {
            return;
        };
        // Its budget stays spent, and the prompt of an unchanged task says why it failed.
        step.activation.agents = was.activation.agents;
        step.activation.spent = was.activation.spent;
        step.usage.clone_from(&was.usage);
        step.history.ended_before = was.stage == Stage::Ended;
        // A person decides whether the new version calls again.
        step.made_call.clone_from(&was.made_call);
        if same && !was.satisfies {
            step.advice.failure.clone_from(&was.advice.failure);
            step.advice.hint.clone_from(&was.advice.hint);
        }
        let begun = was.attempts > 0
            || matches!(was.status, StepStatus::Waiting)
            || matches!(was.stage, Stage::Ended | Stage::Expanded);
        if begun && was.status != StepStatus::Blocked {
            self.reset.push(at);
        }
    }

    fn finish(&mut self, from: usize, at: usize) {
        self.move_state(from, at);
        if self.old.reviews.contains(from) {
            self.run.reviews.add(at);
        }
        if let Some(step) = self.run.steps.get_mut(at) {
            step.outcome.kept = true;
            step.activation.answered = None;
            if step.stage != Stage::Provisional {
                step.stage = Stage::Ended;
            } else if !self.run.children.contains_key(&at) {
                self.run.schedule.provisional.insert(at);
            }
        }
    }

    fn keep_waiting(&mut self, from: usize, at: usize) {
        self.move_state(from, at);
        self.moved.insert(from, at);
    }

    /// Moves a state to its new position. Its dependencies are counted again.
    fn move_state(&mut self, from: usize, at: usize) {
        let (Some(step), Some(was)) = (self.run.steps.get_mut(at), self.old.steps.get(from)) else {
            return;
        };
        *step = StepState {
            waits_for: step.waits_for,
            item: step.item.take(),
            satisfies: false,
            counted: false,
            ..was.clone()
        };
        self.run.schedule.ready.remove(&at);
    }

    /// Lets finished steps satisfy their dependents, after all steps were carried over.
    fn satisfy_dependents_of_kept(&mut self, carryovers: &[Carryover]) {
        let run = &mut self.run;
        for at in 0..run.steps.len() {
            let Some(step) = run.steps.get(at).filter(|step| step.outcome.kept) else {
                continue;
            };
            let completed = step.status == StepStatus::Completed;
            satisfy_dependents(run, at);
            update_done_count(run, at);
            if completed {
                register_recheck(run, at);
            }
        }
        run.schedule.gather.clear();
        for (at, items) in run.children.clone() {
            let open = items.iter().filter_map(|&item| run.steps.get(item));
            let open = open.filter(|step| !step.satisfies).count();
            if carryovers.get(at) == Some(&Carryover::Continue)
                && let Some(step) = run.steps.get_mut(at)
            {
                step.waits_for = open;
                if open == 0 {
                    run.schedule.gather.insert(at);
                }
            }
        }
        let open = self.old.inbox.items.iter().filter_map(|(id, item)| {
            let step = *self.moved.get(&item.step)?;
            let waits = run.steps.get(step)?.stage == Stage::Waiting { item: id.clone() };
            let item = InboxItem {
                step,
                ..item.clone()
            };
            waits.then(|| (id.clone(), item))
        });
        run.inbox.items = open.collect();
    }
}
