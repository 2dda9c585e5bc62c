//! A directory in which a person repairs what an agent left.

use std::fs;
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

    /// Says what the work in the directory is compared with.
    fn repair_base_file(&self, step: &str) -> PathBuf {
        self.indexes.join(format!("repair-{}", key::encode(step)))
    }

    /// Makes a directory that shows the work as it is, which was done on `base`, for a person. What is there already is
    /// theirs.
    pub(crate) fn offer_repair(&self, step: &str, work: &Id, base: &Id) -> Result<(), String> {
        let worktree = self.repair_worktree(step);
        if worktree.exists() {
            return Ok(());
        }
        self.claim()?;
        fs::write(self.repair_base_file(step), base.as_str()).map_err(said)?;
        worktree.make(work).map_err(said)
    }

    /// The work of a person in the directory, if there is one. What joined the run before it was made is in it too, and
    /// is no part of the step's work.
    pub(super) fn repair_context(&self, work: &WorkContext) -> WorkContext {
        let mut work = work.clone();
        if self.repair_worktree(&work.step).exists() {
            let base = fs::read_to_string(self.repair_base_file(&work.step));
            let base = base.ok().and_then(|base| base.trim().parse().ok());
            work.base = base.unwrap_or(work.base);
        }
        work
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

    /// Did a person change something in the directory?
    pub(super) fn is_repair_touched(&self, step: &str) -> Result<bool, String> {
        let worktree = self.repair_worktree(step);
        if !worktree.exists() {
            return Ok(false);
        }
        let shown = worktree.base().map_err(said)?;
        let shown = self.own.tree_of(&shown).map_err(said)?;
        Ok(worktree.tree().map_err(said)? != shown)
    }

    /// The agent tries once more, from another state. What a person left half repaired is put beside.
    pub(crate) fn retire_repair(&self, step: &str, attempt: u32) {
        if self.is_repair_touched(step).unwrap_or(true) {
            let path = self.repair_path(step);
            let mut beside = path.clone().into_os_string();
            beside.push(format!(".before-{attempt}"));
            // What stays is replaced when it is offered again.
            fs::rename(path, beside).ok();
        }
        self.forget_repair(step);
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
