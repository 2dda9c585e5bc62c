//! The run's tree: what it shows now, and for whom.

use std::path::Path;
use std::sync::{MutexGuard, PoisonError};

use signoff_sandbox::Command;
use signoff_work::git::Id;

use super::{Trees, said};

/// What the run's tree shows.
#[derive(Default)]
pub(super) struct Standing {
    /// The commit that it was last set to.
    pub(super) at: Option<Id>,
    /// The step whose changes are in it.
    pub(super) owner: Option<String>,
    /// How many contracts look at it now.
    lookers: usize,
}

/// The file that says what the run's tree was last set to. Without it, the next process would take a candidate that is
/// shown there for something that a person did.
const SHOWN: &str = "run.shown";

impl Standing {
    /// What the process before this one left.
    pub(super) fn left_in(indexes: &Path) -> Self {
        let shown = std::fs::read_to_string(indexes.join(SHOWN)).ok();
        Self {
            at: shown.and_then(|text| text.trim_end().parse().ok()),
            ..Self::default()
        }
    }
}

/// How a command is started that makes a worktree usable.
pub(crate) type Start<'s> = &'s dyn Fn(Command) -> Result<(), String>;

impl Trees {
    pub(super) fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// After a crash: what is in the tree belongs to this step.
    pub(crate) fn belongs_to(&self, step: &str) {
        self.standing().owner = Some(step.to_owned());
    }

    /// Gives the tree to a step that changes it: the head, with what the step itself left there. `repaired`: what a
    /// person did in it is the step's.
    pub(crate) fn take(
        &self,
        step: &str,
        head: &Id,
        repaired: bool,
        start: Start<'_>,
    ) -> Result<(), String> {
        let mut standing = self.standing();
        self.complete(&mut standing, head, start)?;
        if standing.owner.as_deref() == Some(step) {
            return Ok(());
        }
        if !(repaired && standing.owner.is_none() && standing.at.as_ref() == Some(head)) {
            self.put_aside(&mut standing, head)?;
            self.show_at(&mut standing, head)?;
            self.bring_back(step, head, repaired)?;
        }
        standing.owner = Some(step.to_owned());
        Ok(())
    }

    /// Shows a commit: the candidate of a step.
    pub(crate) fn show(&self, step: &str, commit: &Id, start: Start<'_>) -> Result<(), String> {
        let mut standing = self.standing();
        self.complete(&mut standing, commit, start)?;
        if standing.at.as_ref() == Some(commit) && standing.owner.is_none() {
            return Ok(());
        }
        if standing.owner.as_deref() != Some(step) {
            self.put_aside(&mut standing, commit)?;
        }
        self.show_at(&mut standing, commit)
    }

    /// Lets a contract look at the head, beside others.
    pub(crate) fn look(&self, head: &Id, start: Start<'_>) -> Result<(), String> {
        let mut standing = self.standing();
        if standing.lookers == 0 {
            self.complete(&mut standing, head, start)?;
            if standing.owner.is_some() || standing.at.as_ref() != Some(head) {
                self.put_aside(&mut standing, head)?;
                self.show_at(&mut standing, head)?;
            }
        }
        standing.lookers += 1;
        Ok(())
    }

    /// A contract has ended that looked at the head. The last one to leave puts back what they wrote; what that was is
    /// known only of one that was alone.
    pub(crate) fn looked(&self, head: &Id, alone: bool) -> Vec<String> {
        let mut standing = self.standing();
        standing.lookers = standing.lookers.saturating_sub(1);
        if standing.lookers > 0 {
            return Vec::new();
        }
        let wrote = self.changes(None, head).unwrap_or_default();
        if !wrote.is_empty() {
            self.show_at(&mut standing, head).ok();
        }
        if alone { wrote } else { Vec::new() }
    }

    /// Puts back what a contract wrote that had the tree to itself.
    pub(crate) fn undo_contract_here(&self, shown: &Id) -> Vec<String> {
        let mut standing = self.standing();
        let wrote = self.changes(None, shown).unwrap_or_default();
        if !wrote.is_empty() {
            let owner = standing.owner.take();
            self.show_at(&mut standing, shown).ok();
            standing.owner = owner;
        }
        wrote
    }

    pub(super) fn show_at(&self, standing: &mut Standing, commit: &Id) -> Result<(), String> {
        let worktree = self.run_worktree();
        self.changing(&worktree, || {
            self.note_shown(commit)?;
            worktree.set(commit).map_err(said)
        })?;
        standing.at = Some(commit.clone());
        standing.owner = None;
        Ok(())
    }

    /// Makes the tree if it is not there, or a crash left it half made.
    fn complete(
        &self,
        standing: &mut Standing,
        commit: &Id,
        start: Start<'_>,
    ) -> Result<(), String> {
        let worktree = self.run_worktree();
        if worktree.exists() && !self.is_changing(&worktree) {
            return Ok(());
        }
        self.note_shown(commit)?;
        self.make(&worktree, commit, start)?;
        standing.at = Some(commit.clone());
        standing.owner = None;
        Ok(())
    }

    /// Where a crash comes in between, the tree is made anew.
    fn note_shown(&self, commit: &Id) -> Result<(), String> {
        let path = self.indexes.join(SHOWN);
        let noted = std::fs::write(&path, format!("{commit}\n"));
        noted.map_err(|why| format!("{}: {why}", path.display()))
    }

    /// The git tree of a commit.
    pub(crate) fn tree_of(&self, commit: &Id) -> Result<String, String> {
        self.own
            .tree_of(commit)
            .map(|tree| tree.to_string())
            .map_err(said)
    }
}
