//! A directory in which a person repairs what an agent left.

use std::fs;
use std::path::PathBuf;

use signoff_store::key;
use signoff_work::git::{Id, Worktree};

use super::layers::RecordedWork;
use super::work_context::WorkContext;
use super::work_error::WorkError;
use super::{Trees, error_text, remove_tree};
use crate::project::directories::step_tree_dir;

impl Trees {
    fn repair_worktree(&self, step: &str) -> Worktree {
        let index = format!("step-{}", key::encode(step));
        self.own
            .worktree(self.repair_path(step), self.indexes.join(index))
    }

    fn repair_path(&self, step: &str) -> PathBuf {
        step_tree_dir(&self.root, step)
    }

    /// Says what the work in the directory is compared with.
    fn repair_base_file(&self, step: &str) -> PathBuf {
        self.indexes.join(format!("repair-{}", key::encode(step)))
    }

    /// Makes a directory with the work that was done on `base`, for a person. If it exists already, its content is
    /// theirs.
    pub(crate) fn offer_repair(&self, step: &str, work: &Id, base: &Id) -> Result<(), String> {
        let worktree = self.repair_worktree(step);
        if worktree.exists() {
            return Ok(());
        }
        self.claim()?;
        fs::write(self.repair_base_file(step), base.as_str()).map_err(error_text)?;
        worktree.make(work).map_err(error_text)
    }

    /// The work of a person in the directory, if there is one. What joined the run before it was made is in it too, and
    /// is not part of the step's work.
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
    pub(super) fn record_repair(
        &self,
        work: &WorkContext,
    ) -> Result<Option<RecordedWork>, WorkError> {
        let worktree = self.repair_worktree(&work.step);
        if worktree.exists() {
            let tree = worktree.tree()?;
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
        let shown = worktree.base().map_err(error_text)?;
        let shown = self.own.tree_of(&shown).map_err(error_text)?;
        Ok(worktree.tree().map_err(error_text)? != shown)
    }

    /// Called when the agent tries once more from another state. Moves a half-finished repair aside.
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

    /// A step that goes on no longer needs a repair.
    pub(crate) fn forget_repair(&self, step: &str) {
        let worktree = self.repair_worktree(step);
        if worktree.path().exists() {
            // What stays is removed with the run.
            worktree.remove().ok();
            remove_tree(worktree.path()).ok();
        }
    }
}
