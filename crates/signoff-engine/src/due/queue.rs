//! The merge queue and the run's tree are used by one step at a time. Contracts need neither: each runs in its own
//! overlay of a commit.

use super::Action;
use crate::state::Run;

/// Whether the queue is in use.
pub(super) struct Queue {
    taken: bool,
}

impl Queue {
    pub(super) fn of(run: &Run) -> Self {
        Self {
            taken: run.has_queue_holder(),
        }
    }

    /// Takes what the action needs, if it is free.
    pub(super) fn admit(&mut self, run: &Run, at: usize, action: &Action) -> bool {
        let free = self.would_admit(run, at, action);
        self.taken |= free && needs_queue(run, at, action);
        free
    }

    pub(super) fn would_admit(&self, run: &Run, at: usize, action: &Action) -> bool {
        !self.taken || !needs_queue(run, at, action)
    }
}

fn needs_queue(run: &Run, at: usize, action: &Action) -> bool {
    let Some(step) = run.steps.get(at) else {
        return false;
    };
    // In the checkout there is no queue.
    if !run.in_worktrees() || step.allocation.has_queue() {
        return false;
    }
    match action {
        Action::Candidate { .. } | Action::Merge { .. } => true,
        Action::Evaluate { .. } => step.attempt.candidate.is_some(),
        Action::Call { .. } => run.calls_in_tree(at),
        Action::LandFiles
        | Action::Draft { .. }
        | Action::OfferDraft
        | Action::Recheck { .. }
        | Action::Baseline { .. }
        | Action::Dispatch { .. }
        | Action::Gate { .. }
        | Action::Gather { .. }
        | Action::AskForBudget { .. }
        | Action::AskForAcceptance
        | Action::Wait { .. }
        | Action::Finish => false,
    }
}
