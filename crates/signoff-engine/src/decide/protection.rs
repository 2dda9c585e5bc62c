//! Protected files are protected from every step that may run in parallel.

use std::collections::BTreeSet;

use signoff_plan::model::{Plan, Step};

use super::verdict::is_covered;
use crate::contract_inputs::is_produced;
use crate::event::Changes;
use crate::state::Run;

/// Files that another step protects.
pub(super) struct ProtectedFiles<'p> {
    pub(super) step: &'p str,
    pub(super) files: Vec<String>,
}

/// The files that a step changed although a parallel step protects them. Files that `produces` names are allowed.
pub(super) fn protected_by_others<'p>(
    plan: &'p Plan,
    step: &Step,
    changes: &Changes,
) -> Option<ProtectedFiles<'p>> {
    // Items of a loop are called `ID[NUMBER]`.
    let name = step.id.split('[').next().unwrap_or_default();
    let is_it = |one: &Step| one.id == step.id || one.id == name;
    let own = plan.steps.iter().position(is_it)?;
    let waits = StepOrder::new(plan, own);
    let others = plan.steps.iter().enumerate();
    let mut others = others.filter(|(at, other)| !other.protects.is_empty() && !waits.orders(*at));
    others.find_map(|(_, other)| {
        let files = changes.files.iter().flatten();
        let files = files.filter(|file| is_covered(&other.protects, file, &changes.details));
        let files: Vec<String> = files
            .filter(|file| !is_produced(step, file))
            .cloned()
            .collect();
        let step = other.id.as_str();
        (!files.is_empty()).then_some(ProtectedFiles { step, files })
    })
}

/// Whether some step of a run says that it makes a file: a person has signed that.
pub fn is_asked_for(run: &Run, path: &str) -> bool {
    run.plan().steps.iter().any(|step| is_produced(step, path))
}

/// The order between one step and the others.
struct StepOrder<'p> {
    plan: &'p Plan,
    own: usize,
    before: BTreeSet<usize>,
}

impl<'p> StepOrder<'p> {
    fn new(plan: &'p Plan, own: usize) -> Self {
        let before = all_before(plan, own);
        Self { plan, own, before }
    }

    /// Is there an order between the step and this one?
    fn orders(&self, at: usize) -> bool {
        at == self.own || self.before.contains(&at) || all_before(self.plan, at).contains(&self.own)
    }
}

/// Everything that a step waits for, directly or indirectly.
fn all_before(plan: &Plan, at: usize) -> BTreeSet<usize> {
    let (mut found, mut left) = (BTreeSet::new(), vec![at]);
    while let Some(at) = left.pop() {
        left.extend(plan.dependencies(at).filter(|&at| found.insert(at)));
    }
    found
}
