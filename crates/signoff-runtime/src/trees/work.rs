//! What steps change in the checkout where a run works in it, so that `undo` takes back that and nothing else.
//!
//! Two trees tell of it: `left` has every path that steps changed as they left it, `to` as it was before them; in
//! everything else both are what the run found. While steps work there is a third, the checkout before them: what is
//! another afterwards was changed by them, or by somebody at the same time, which nobody can tell apart. To look costs
//! more than most calls do, so that is one period from the first of them until the run rests.

use std::collections::BTreeSet;
use std::sync::{Arc, MutexGuard, PoisonError};

use signoff_work::git::{GitError, Id};

use super::Trees;
use crate::error::Error;

/// A commit of `left`, whose parent is one of `to`.
const WORK: &str = "work";
/// The checkout before the steps that work in it now.
const WORKING: &str = "working";
/// The checkout before its work was taken back.
const UNDONE: &str = "undone";

/// What steps have changed in the checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Work {
    /// How the paths were that they changed.
    pub(crate) to: Id,
    /// How they left them.
    pub(crate) left: Id,
}

/// Something works in the checkout, until it is dropped.
pub(crate) struct Working(Arc<Trees>);

/// A time in which what changes in the checkout is taken for the run's.
#[derive(Debug, Default)]
pub(super) struct Period {
    /// How much works now.
    count: usize,
    /// It was noted what the checkout was before.
    open: bool,
}

impl Working {
    /// Something begins to work in the checkout.
    pub(crate) fn begin(trees: Arc<Trees>) -> Self {
        {
            let mut period = trees.working();
            if !period.open {
                // What cannot be seen now is not taken for the run's, and so not taken back.
                period.open = trees.note_before().is_ok();
            }
            period.count += 1;
        }
        Self(trees)
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        let mut period = self.0.working();
        period.count = period.count.saturating_sub(1);
    }
}

impl Trees {
    /// Nothing works, and a person may do something: that is theirs.
    pub(crate) fn rest(&self) {
        let mut period = self.working();
        if period.open && period.count == 0 {
            // Where it cannot be seen now it is seen with the next work, or at the end.
            self.note_work().ok();
            period.open = false;
        }
    }

    fn working(&self) -> MutexGuard<'_, Period> {
        self.working.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// No step has changed anything yet.
    pub(super) fn note_nothing(&self, start: &Id) -> Result<(), GitError> {
        let to = self.own.tree_of(start)?;
        let left = to.clone();
        self.keep_work(&Work { to, left })
    }

    fn note_before(&self) -> Result<(), GitError> {
        let name = self.ref_name(WORKING);
        if self.repository.read_ref(&name)?.is_some() {
            // What came of the work before could not be seen.
            return Ok(());
        }
        let tree = self.own.snapshot()?;
        let commit = self.own.commit(&tree, &[], "Before steps work\n")?;
        self.repository.move_ref(&name, &commit, None).map(|_| ())
    }

    /// Notes what steps changed that worked until now, or until they were killed.
    pub(crate) fn note_work(&self) -> Result<(), GitError> {
        let name = self.ref_name(WORKING);
        let (Some(before), Some(work)) = (self.repository.read_ref(&name)?, self.work()?) else {
            return Ok(());
        };
        let now = self.own.snapshot()?;
        let mut changed = self.own.changed(&before, &now)?;
        if changed.iter().any(|path| path.ends_with(".gitignore")) {
            // What shows only because it is ignored no longer was there before, as far as anybody knows.
            let ignored: BTreeSet<String> =
                (self.own.ignored_by(&before, &changed)?.into_iter()).collect();
            changed.retain(|path| !ignored.contains(path));
        }
        if !changed.is_empty() {
            let touched: BTreeSet<String> = self.touched(&work)?.into_iter().collect();
            let new: Vec<String> = changed
                .iter()
                .filter(|path| !touched.contains(*path))
                .cloned()
                .collect();
            self.keep_work(&Work {
                // What a person did to a path before the first step that changed it is theirs.
                to: self.own.overlaid(&work.to, &before, &new)?,
                left: self.own.overlaid(&work.left, &now, &changed)?,
            })?;
        }
        self.repository.delete_ref(&name)
    }

    /// What a person repaired of that which steps changed is the run's too.
    pub(crate) fn adopt_repair(&self, now: &Id) -> Result<(), GitError> {
        let _nobody_else_notes = self.working();
        let Some(work) = self.work()? else {
            return Ok(());
        };
        let left = self.own.overlaid(&work.left, now, &self.touched(&work)?)?;
        self.keep_work(&Work { left, ..work })
    }

    /// What steps have changed; `None` of a run that never noted it.
    pub(crate) fn work(&self) -> Result<Option<Work>, GitError> {
        let Some(commit) = self.repository.read_ref(&self.ref_name(WORK))? else {
            return Ok(None);
        };
        Ok(Some(Work {
            to: self.own.tree_before(&commit)?,
            left: self.own.tree_of(&commit)?,
        }))
    }

    /// The paths that steps have changed.
    pub(crate) fn touched(&self, work: &Work) -> Result<Vec<String>, GitError> {
        self.own.changed(&work.to, &work.left)
    }

    fn keep_work(&self, work: &Work) -> Result<(), GitError> {
        let name = self.ref_name(WORK);
        let known = self.repository.read_ref(&name)?;
        let to = self.own.commit(&work.to, &[], "Before the run's work\n")?;
        let left = self.own.commit(&work.left, &[to], "The run's work\n")?;
        // In one: a crash leaves what was known, or what is.
        self.repository.move_ref(&name, &left, known.as_ref())?;
        Ok(())
    }

    /// What was taken back need not be taken back again.
    pub(crate) fn forget_work(&self, work: &Work) -> Result<(), Error> {
        let (to, left) = (work.to.clone(), work.to.clone());
        Ok(self.keep_work(&Work { to, left })?)
    }

    /// Keeps what is about to be taken back, and says where.
    pub(crate) fn keep_undone(&self, now: &Id, start: &Id) -> Result<(), Error> {
        let parent = std::slice::from_ref(start);
        let commit = self.own.commit(now, parent, "Undone\n")?;
        Ok(self.remember(UNDONE, &commit)?)
    }

    /// Where that is which was taken back.
    pub(crate) fn undone_ref(&self) -> String {
        self.ref_name(UNDONE)
    }
}
