//! A directory in which a person repairs what an agent left.

use std::path::PathBuf;

use signoff_store::key;
use signoff_work::git::{Id, Worktree};

use super::layers::{Recorded, WorkContext};
use super::{Trees, remove_tree, said, step_tree};

impl Trees {
    fn repair_worktree(&self, step: &str) -> Worktree {
        let index = format!("step-{}", key::encode(step));
        self.own
            .worktree(self.repair_path(step), self.indexes.join(index))
    }

    fn repair_path(&self, step: &str) -> PathBuf {
        step_tree(&self.root, step)
    }

    /// Makes a directory that shows the work as it is, for a person. What is there already is theirs.
    pub(crate) fn offer_repair(&self, step: &str, work: &Id) -> Result<(), String> {
        let worktree = self.repair_worktree(step);
        if worktree.exists() {
            return Ok(());
        }
        self.claim()?;
        worktree.make(work).map_err(said)
    }

    /// Records what a person did there. Without such a directory they repaired it in the checkout.
    pub(super) fn record_repair(&self, work: &WorkContext) -> Result<Option<Recorded>, String> {
        let worktree = self.repair_worktree(&work.step);
        if worktree.exists() {
            let tree = worktree.tree().map_err(said)?;
            self.commit_work(work, &tree)?;
        }
        self.record(work, None)
    }

    /// A step that goes on needs no repair any more.
    pub(crate) fn forget_repair(&self, step: &str) {
        let worktree = self.repair_worktree(step);
        if worktree.path().exists() {
            // What stays is removed with the run.
            worktree.remove().ok();
            remove_tree(worktree.path()).ok();
        }
    }
}
