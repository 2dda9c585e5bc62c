//! The run's tree as a directory: tools of the harness and servers work in it. One call at a time changes it; those that
//! only read share it.

use std::path::PathBuf;
use std::sync::{PoisonError, RwLockReadGuard, RwLockWriteGuard};

use signoff_store::failpoint;
use signoff_work::git::{Id, Worktree};

use super::layers::RecordedWork;
use super::work_context::WorkContext;
use super::work_error::WorkError;
use super::{Start, Trees, error_text};
use crate::project::directories::run_tree_dir;

/// The run's tree is used until this is dropped.
pub(crate) enum RunTreeUse<'t> {
    Alone(#[expect(dead_code, reason = "held, not read")] RwLockWriteGuard<'t, Option<Id>>),
    Shared(#[expect(dead_code, reason = "held, not read")] RwLockReadGuard<'t, Option<Id>>),
}

impl Trees {
    /// Where the run's tree is.
    pub(crate) fn run_path(&self) -> PathBuf {
        run_tree_dir(&self.root)
    }

    fn run_worktree(&self) -> Worktree {
        self.own.worktree(self.run_path(), self.indexes.join("run"))
    }

    /// Makes the run's tree show the head, and nothing else that is versioned.
    pub(crate) fn show_head(&self, head: &Id, start: Start<'_>) -> Result<(), String> {
        self.use_run_tree(head, false, start).map(drop)
    }

    /// The same, for as long as the answer is kept. `alone`: to change it.
    pub(crate) fn use_run_tree(
        &self,
        head: &Id,
        alone: bool,
        start: Start<'_>,
    ) -> Result<RunTreeUse<'_>, String> {
        if !alone {
            let shows = self.run_tree.read().unwrap_or_else(PoisonError::into_inner);
            if shows.as_ref() == Some(head) {
                return Ok(RunTreeUse::Shared(shows));
            }
        }
        let mut shows = self
            .run_tree
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if shows.as_ref() != Some(head) {
            self.set_run_tree(head, start)?;
            *shows = Some(head.clone());
        }
        if alone {
            // Its content is unknown afterwards.
            *shows = None;
            return Ok(RunTreeUse::Alone(shows));
        }
        drop(shows);
        let shows = self.run_tree.read().unwrap_or_else(PoisonError::into_inner);
        Ok(RunTreeUse::Shared(shows))
    }

    fn set_run_tree(&self, head: &Id, start: Start<'_>) -> Result<(), String> {
        self.claim()?;
        self.prepared_layer(start)?;
        let (worktree, mark) = (self.run_worktree(), self.changing_mark());
        let whole = worktree.exists() && !mark.exists();
        std::fs::write(&mark, "").map_err(|why| format!("{}: {why}", mark.display()))?;
        if whole {
            worktree.set(head).map_err(error_text)?;
        } else {
            worktree.make(head).map_err(error_text)?;
            self.setup.copy(&self.checkout, worktree.path())?;
            worktree.adopt_untracked_and_reset().map_err(error_text)?;
        }
        failpoint::reach("run_tree.shown");
        std::fs::remove_file(&mark).map_err(|why| format!("{}: {why}", mark.display()))
    }

    /// Records what a call did in the run's tree, once. Nobody else uses it: the call has just ended, or was the last
    /// one before a crash.
    pub(crate) fn record_call(
        &self,
        work: &WorkContext,
    ) -> Result<Option<RecordedWork>, WorkError> {
        if self.recorded_commit(work)?.is_none() {
            if self
                .cluster
                .as_ref()
                .is_some_and(|cluster| cluster.is_driving())
            {
                // Another machine called, in a tree of its own. What it left would be here by now.
                return Ok(None);
            }
            let worktree = self.run_worktree();
            let shows = worktree.base().is_ok_and(|base| base == work.base);
            if !worktree.exists() || self.changing_mark().exists() || !shows {
                return Ok(None);
            }
            let tree = worktree.tree()?;
            self.commit_work(work, &tree)?;
        }
        self.record(work, None)
    }

    /// The file that exists while the tree is changed: after a crash the tree is made anew.
    fn changing_mark(&self) -> PathBuf {
        self.indexes.join("run.changing")
    }
}
