//! The run's tree: what it shows now, and for whom.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

use signoff_sandbox::Command;
use signoff_work::git::Id;

use super::{Trees, id, pipes, said};

/// What the run's tree shows. It is on disk too, for whoever comes after a crash.
#[derive(Default)]
pub(super) struct Standing {
    /// The commit that it was last set to, if that is known.
    pub(super) at: Option<Id>,
    /// The step whose changes are in it.
    pub(super) owner: Option<String>,
    /// How many contracts look at it now.
    lookers: usize,
}

impl Standing {
    /// What was last kept.
    pub(super) fn read(indexes: &Path) -> Self {
        let text = fs::read_to_string(standing_file(indexes)).unwrap_or_default();
        let (at, owner) = text.split_once('\n').unwrap_or_default();
        Self {
            at: id(at).ok(),
            owner: (!owner.is_empty()).then(|| owner.to_owned()),
            lookers: 0,
        }
    }

    fn keep(&self, file: &Path) -> Result<(), String> {
        let at = self.at.as_ref().map(Id::as_str).unwrap_or_default();
        let owner = self.owner.as_deref().unwrap_or_default();
        let next = file.with_extension("next");
        let written = fs::write(&next, format!("{at}\n{owner}"));
        let written = written.and_then(|()| fs::rename(&next, file));
        written.map_err(|why| format!("{}: {why}", file.display()))
    }
}

fn standing_file(indexes: &Path) -> PathBuf {
    indexes.join("run.standing")
}

/// How a command is started that makes a worktree usable.
pub(crate) type Start<'s> = &'s dyn Fn(Command) -> Result<(), String>;

impl Trees {
    pub(super) fn standing(&self) -> MutexGuard<'_, Standing> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on what is in the tree is this step's.
    fn give(&self, standing: &mut Standing, owner: Option<String>) -> Result<(), String> {
        standing.owner = owner;
        standing.keep(&self.standing_file())
    }

    fn standing_file(&self) -> PathBuf {
        standing_file(&self.indexes)
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
        let by_hand = repaired && standing.owner.is_none() && standing.at.as_ref() == Some(head);
        if standing.owner.as_deref() != Some(step) {
            if !by_hand {
                self.put_aside(&standing, head)?;
                self.show_at(&mut standing, head)?;
            }
            self.give(&mut standing, Some(step.to_owned()))?;
        }
        // Twice does no harm: a crash may have been between this and the line before.
        self.bring_back(step, head, repaired)
    }

    /// Forgets what the step left in the tree: it was cut off, and that is no work.
    pub(crate) fn clear(&self, step: &str, head: &Id) -> Result<(), String> {
        let mut standing = self.standing();
        let is_whole = self.run_worktree().exists() && !self.is_changing(&self.run_worktree());
        if is_whole && standing.owner.as_deref() == Some(step) {
            self.show_at(&mut standing, head)?;
        }
        self.forget_aside(step)
    }

    /// Shows a commit: the candidate of a step.
    pub(crate) fn show(&self, step: &str, commit: &Id, start: Start<'_>) -> Result<(), String> {
        let mut standing = self.standing();
        self.complete(&mut standing, commit, start)?;
        let foreign = standing.owner.as_deref() != Some(step);
        let clean = foreign && self.put_aside(&standing, commit)?;
        if clean && standing.at.as_ref() == Some(commit) && standing.owner.is_none() {
            return Ok(());
        }
        self.show_at(&mut standing, commit)
    }

    /// Lets a contract look at the head, beside others.
    pub(crate) fn look(&self, head: &Id, start: Start<'_>) -> Result<(), String> {
        let mut standing = self.standing();
        if standing.lookers == 0 {
            self.complete(&mut standing, head, start)?;
            // Somebody may have begun to repair something here: a verdict is about the commit.
            let clean = self.put_aside(&standing, head)?;
            if !clean || standing.owner.is_some() || standing.at.as_ref() != Some(head) {
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
            self.give(&mut standing, owner).ok();
        }
        wrote
    }

    pub(super) fn show_at(&self, standing: &mut Standing, commit: &Id) -> Result<(), String> {
        let worktree = self.run_worktree();
        pipes::remove(worktree.path());
        self.changing(&worktree, || {
            worktree.set(commit).map_err(said)?;
            standing.at = Some(commit.clone());
            self.give(standing, None)
        })
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
        standing.at = Some(commit.clone());
        self.give(standing, None)?;
        self.make(&worktree, commit, start)
    }

    /// The git tree of a commit.
    pub(crate) fn tree_of(&self, commit: &Id) -> Result<String, String> {
        self.own
            .tree_of(commit)
            .map(|tree| tree.to_string())
            .map_err(said)
    }
}
