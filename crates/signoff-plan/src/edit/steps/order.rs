//! Another order of steps, and what it must not break.

use super::super::EditRefused;
use crate::check::resolve::step_ids;
use crate::check::used_steps;
use crate::draft::Draft;
use crate::model::Plan;

/// Where each step of a plan goes.
pub(super) struct StepOrder {
    /// New position of the step at each old one.
    new_positions: Vec<usize>,
    /// How many steps there are then.
    count: usize,
}

impl StepOrder {
    /// One step goes elsewhere.
    pub(super) fn with_moved_step(count: usize, from: usize, to: usize) -> Self {
        let mut old: Vec<usize> = (0..count).filter(|at| *at != from).collect();
        old.insert(to.min(old.len()), from);
        let mut new_positions = vec![0; count];
        for (new, old) in old.into_iter().enumerate() {
            if let Some(slot) = new_positions.get_mut(old) {
                *slot = new;
            }
        }
        Self {
            new_positions,
            count,
        }
    }

    /// A new step comes to stand at a position.
    pub(super) fn with_new(count: usize, at: usize) -> Self {
        let new_positions = (0..count).map(|old| old + usize::from(old >= at)).collect();
        Self {
            new_positions,
            count: count + 1,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn new_position(&self, old: usize) -> usize {
        self.new_positions.get(old).copied().unwrap_or(old)
    }

    /// The step that comes to stand at a position; `None` = a new one.
    pub(super) fn old_position(&self, new: usize) -> Option<usize> {
        self.new_positions.iter().position(|at| *at == new)
    }

    /// The id that the step at an old position has afterwards.
    pub(super) fn new_id(&self, draft: &Draft, old: usize) -> String {
        let named = draft.steps.get(old).and_then(|step| step.id.as_ref());
        match named {
            Some(id) => id.value.clone(),
            None => format!("step-{}", self.new_position(old) + 1),
        }
    }

    /// Ids before and after of the steps that change theirs.
    pub(super) fn renamed_ids(&self, draft: &Draft) -> Vec<(String, String)> {
        let ids = step_ids(draft).into_iter().enumerate();
        let pairs = ids.map(|(at, id)| (id, self.new_id(draft, at)));
        pairs.filter(|(old, new)| old != new).collect()
    }

    /// Refuses if a step would come to stand before one that it waits for by name.
    pub(super) fn keeps_dependencies(&self, draft: &Draft, plan: &Plan) -> Result<(), EditRefused> {
        let ids = |at: usize| plan.steps.get(at).map_or("", |step| step.id.as_str());
        for (at, step) in draft.steps.iter().enumerate() {
            if step.depends_on.is_none() && draft.dialect.is_sequential() {
                continue;
            }
            let broken = |on: &usize| *on < at && self.new_position(*on) > self.new_position(at);
            if let Some(on) = plan.dependencies(at).find(broken) {
                return Err(EditRefused::BreaksDependency {
                    step: ids(at).to_owned(),
                    dependency: ids(on).to_owned(),
                });
            }
        }
        Ok(())
    }

    /// Refuses if a step reads by number what another step gives, and that number changes: which texts mean a step and
    /// which only look like it is not ours to guess.
    pub(super) fn keeps_references(&self, draft: &Draft, plan: &Plan) -> Result<(), EditRefused> {
        let ids = step_ids(draft);
        let renamed = |at: usize| {
            let named = draft.steps.get(at).is_some_and(|step| step.id.is_some());
            !named && self.new_position(at) != at
        };
        for (at, used) in used_steps(draft, &ids) {
            if renamed(used) {
                let id = |at: usize| plan.steps.get(at).map_or("", |step| step.id.as_str());
                return Err(EditRefused::NamedByNumber {
                    step: id(used).to_owned(),
                    by: id(at).to_owned(),
                });
            }
        }
        Ok(())
    }
}
