//! Who may use the run's tree, where agents have worktrees of their own: one step that changes it, or
//! several that only look at it.

use super::Action;
use crate::state::Run;

/// Who uses the run's tree.
pub(super) struct Tree {
    /// A step changes it.
    taken: bool,
    /// Steps that only look at it.
    looked_at: bool,
    /// A step waits to change it: whoever only wants to look waits behind it, or it would wait for
    /// ever.
    wanted: bool,
}

/// What an action needs of the run's tree.
#[derive(PartialEq)]
enum Need {
    Nothing,
    Look,
    Change,
}

impl Tree {
    pub(super) fn of(run: &Run) -> Self {
        let active = || {
            run.active
                .iter()
                .filter_map(|&at| Some((at, run.steps.get(at)?)))
        };
        Self {
            taken: active().any(|(_, step)| step.holds),
            looked_at: active()
                .any(|(at, step)| !step.holds && step.stage.in_flight() && run.looks(at)),
            wanted: false,
        }
    }

    /// Takes what the action needs, if it is free.
    pub(super) fn admit(&mut self, run: &Run, at: usize, action: &Action) -> bool {
        let free = self.would_admit(run, at, action);
        match need(run, at, action) {
            Need::Nothing => {}
            Need::Look => self.looked_at |= free,
            Need::Change if free => self.taken = true,
            Need::Change => self.wanted = true,
        }
        free
    }

    pub(super) fn would_admit(&self, run: &Run, at: usize, action: &Action) -> bool {
        match need(run, at, action) {
            Need::Nothing => true,
            Need::Look => !self.taken && !self.wanted,
            Need::Change => !self.taken && !self.looked_at,
        }
    }
}

fn need(run: &Run, at: usize, action: &Action) -> Need {
    let holds = run.steps.get(at).is_some_and(|step| step.holds);
    // In place, who may start is all there is to say.
    if !run.in_worktrees() || holds {
        return Need::Nothing;
    }
    match action {
        Action::Candidate { .. } | Action::Merge { .. } | Action::Call { .. } => Need::Change,
        Action::Recheck { .. } => Need::Look,
        Action::Evaluate { .. } if run.looks(at) => Need::Look,
        Action::Evaluate { .. } => Need::Change,
        Action::Baseline { .. } | Action::Dispatch { .. } if run.has_own_tree(at) => Need::Nothing,
        Action::Baseline { .. } | Action::Dispatch { .. } => Need::Change,
        Action::Gate { .. }
        | Action::Gather { .. }
        | Action::AskForBudget { .. }
        | Action::AskForAcceptance
        | Action::Wait { .. }
        | Action::Finish => Need::Nothing,
    }
}
