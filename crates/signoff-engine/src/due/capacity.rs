//! Which ready steps may start beside the active ones.

use std::collections::BTreeSet;

use signoff_plan::model::Work;

use super::Action;
use crate::event::Isolation;
use crate::state::Run;

/// What is free for steps without a slot.
pub(super) struct Capacity<'a> {
    jobs: usize,
    /// All steps work in the checkout.
    shared: bool,
    /// An agent works there, so nothing else may.
    agent: bool,
    /// Something else works there, so an agent has to wait.
    used: bool,
    locks: BTreeSet<&'a str>,
    /// An agent waits for the checkout. Later steps wait behind it; otherwise it might never start.
    closed: bool,
    /// A step could go on if another run did not hold a lock.
    locked_out: bool,
}

impl<'a> Capacity<'a> {
    pub(super) fn of(run: &'a Run, jobs: usize) -> Self {
        let with_slot = || {
            let active = run.schedule.active.iter().copied();
            active.filter(|&at| {
                run.steps
                    .get(at)
                    .is_some_and(|step| step.allocation.has_slot())
            })
        };
        let mut capacity = Self {
            jobs: jobs.saturating_sub(with_slot().count()),
            shared: run.settings.isolation == Isolation::Shared,
            agent: false,
            used: false,
            locks: BTreeSet::new(),
            closed: false,
            locked_out: false,
        };
        for at in with_slot() {
            capacity.take_capacity(run, at);
        }
        capacity
    }

    /// May another step start?
    pub(super) fn is_left(&self) -> bool {
        // Nothing starts while an agent works, but questions can be asked.
        !self.closed && (self.jobs > 0 || self.agent)
    }

    /// Does a step wait for a lock that another run holds? Nothing in this run tells when that is free.
    pub(super) fn has_locked_out(&self) -> bool {
        self.locked_out
    }

    /// May the step go on that has a slot, as far as other runs are concerned? Its process may have died and lost its locks.
    pub(super) fn has_locks(&mut self, run: &Run, at: usize) -> bool {
        let locked_out = run.is_locked_out(at);
        self.locked_out |= locked_out;
        !locked_out
    }

    /// Takes what the step needs, if it is free.
    pub(super) fn admit(&mut self, run: &'a Run, at: usize, action: &Action) -> bool {
        if !needs_slot(action) {
            return true;
        }
        let Some(step) = run.definition(at) else {
            return false;
        };
        let taken = step
            .locks
            .iter()
            .any(|lock| self.locks.contains(lock.as_str()));
        if !taken && !self.has_locks(run, at) {
            return false;
        }
        let is_agent = self.shared && matches!(step.work, Work::Agent { .. });
        self.closed = is_agent && self.used && !self.agent;
        if self.jobs == 0 || self.agent || self.closed || taken {
            return false;
        }
        self.jobs -= 1;
        self.take_capacity(run, at);
        true
    }

    fn take_capacity(&mut self, run: &'a Run, at: usize) {
        let Some(step) = run.definition(at) else {
            return;
        };
        self.locks.extend(step.locks.iter().map(String::as_str));
        self.agent |= self.shared && matches!(step.work, Work::Agent { .. });
        self.used = true;
    }
}

fn needs_slot(action: &Action) -> bool {
    match action {
        // A condition, a question or a pause starts nothing.
        Action::Gate { .. }
        | Action::AskForBudget { .. }
        | Action::OfferDraft
        | Action::Wait { .. } => false,
        Action::Draft { .. }
        | Action::Baseline { .. }
        | Action::Dispatch { .. }
        | Action::Call { .. }
        | Action::Evaluate { .. }
        | Action::Candidate { .. }
        | Action::Merge { .. }
        | Action::Recheck { .. }
        | Action::LandFiles
        | Action::Gather { .. }
        | Action::AskForAcceptance
        | Action::Finish => true,
    }
}
