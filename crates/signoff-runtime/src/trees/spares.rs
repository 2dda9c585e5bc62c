//! Worktrees of steps that have ended, kept for the next ones: taking one over costs less than making another.

use std::sync::{MutexGuard, PoisonError};

use signoff_work::git::{Id, Worktree};

use super::{Trees, said};

/// The most that are kept: more steps than this seldom begin at once.
const MOST: usize = 8;

impl Trees {
    /// Whoever keeps a worktree or takes one over does it alone.
    fn spares(&self) -> MutexGuard<'_, ()> {
        self.spares.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a worktree that its step no longer needs.
    pub(super) fn spare(&self, worktree: &Worktree) {
        let _one_at_a_time = self.spares();
        let free = (0..MOST).map(|number| self.spare_worktree(number));
        let kept = free.into_iter().find(|place| !place.path().exists());
        let kept = kept.filter(|_| worktree.exists() && !self.is_changing(worktree));
        let moved = kept.is_some_and(|place| worktree.move_to(&place).is_ok());
        if !moved {
            // What stays is removed with the run.
            worktree.remove().ok();
        }
    }

    /// Makes a worktree show this commit and nothing else.
    pub(super) fn fill(&self, worktree: &Worktree, commit: &Id) -> Result<(), String> {
        let _turn = self.turns.wait();
        let spare = {
            let _one_at_a_time = self.spares();
            let spares = (0..MOST).map(|number| self.spare_worktree(number));
            let spare = spares.into_iter().find(Worktree::exists);
            // Moved while nobody else can take it, renewed when others may go on.
            spare.filter(|spare| worktree.remove().is_ok() && spare.move_to(worktree).is_ok())
        };
        if spare.is_some() && worktree.renew(commit).is_ok() {
            return Ok(());
        }
        worktree.make(commit).map_err(said)
    }

    fn spare_worktree(&self, number: usize) -> Worktree {
        let path = self.root.join("spare").join(number.to_string());
        let index = self.indexes.join(format!("spare-{number}"));
        self.own.worktree(path, index)
    }
}
