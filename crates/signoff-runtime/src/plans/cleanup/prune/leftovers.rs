//! What runs have left outside of their directories: worktrees and references.

use std::path::{Path, PathBuf};

use signoff_api::pruned::RemovedKind;
use signoff_work::beneath::remove_tree;

use super::tree::size;
use super::{KeptReason, Pruning, RemovedItem};
use crate::error::Error;
use crate::runs::remote;
use crate::trees;

impl Pruning<'_> {
    /// Removes what a deleted or finished run has left. Returns `false` if some of it is still there.
    pub(super) fn remove_leftovers_of(&mut self, run: &str) -> bool {
        let found = match self.remains.of_run(run) {
            Ok(found) => found,
            Err(error) => {
                self.note_kept(Path::new(&trees::refs(run)), KeptReason::Error(error));
                return false;
            }
        };
        self.remove_found_leftovers(run, found) && self.remove_shared_references(run)
    }

    /// Removes the references of a run from the repository that carried its work between machines. Returns `false` if they are
    /// still there.
    fn remove_shared_references(&mut self, run: &str) -> bool {
        let Ok(Some(elsewhere)) = remote::remote_access(self.context.project, run) else {
            return true;
        };
        let removed = elsewhere.leftover_references(run).and_then(|repository| {
            if repository.is_some() && !self.options.dry_run {
                elsewhere.remove_references(run)?;
            }
            Ok(repository)
        });
        match removed {
            Ok(None) => true,
            Ok(Some(repository)) => {
                let path = PathBuf::from(format!("{repository} {}", trees::refs(run)));
                self.note_removed(RemovedKind::Refs, run, path, 0);
                true
            }
            Err(why) => {
                let path = trees::refs(run);
                self.note_kept(Path::new(&path), KeptReason::Error(Error::Unshared { why }));
                false
            }
        }
    }

    /// Removes a run from the database that machines share, where it is one of theirs. Returns `false` if it is still there.
    pub(super) fn remove_shared_run(&mut self, run: &str) -> bool {
        let Ok(Some(elsewhere)) = remote::remote_access(self.context.project, run) else {
            return true;
        };
        if self.options.dry_run {
            return true;
        }
        let forgotten = elsewhere.forget(run);
        if let Err(why) = &forgotten {
            let why = why.clone();
            let path = self.context.project.store.run_dir(run).shared_marker();
            self.note_kept(&path, KeptReason::Error(Error::Unshared { why }));
        }
        forgotten.is_ok()
    }

    /// What runs have left whose directories are gone.
    pub(super) fn remove_orphans(&mut self) {
        match self.remains.orphans() {
            Ok(orphans) => {
                for (run, found) in orphans {
                    self.remove_lost_run(&run, found, false);
                }
            }
            // Without git there are no runs in worktrees to report.
            Err(Error::Git(_)) => {}
            Err(error) => {
                let workspace = self.context.project.store.workspace();
                self.note_kept(workspace, KeptReason::Error(error));
            }
        }
    }

    /// Removes what a run has left whose journal cannot tell what of it has landed. Returns `false` if it stays.
    pub(super) fn remove_lost_run(
        &mut self,
        run: &str,
        found: trees::RunLeftovers,
        force: bool,
    ) -> bool {
        match self.remains.has_unlanded_commits(run) {
            Ok(true) if !force => {
                let why = KeptReason::UnlandedCommits(run.to_owned());
                self.note_kept(Path::new(&trees::branch(run)), why);
                false
            }
            Ok(_) => self.remove_found_leftovers(run, found),
            Err(error) => {
                self.note_kept(Path::new(&trees::branch(run)), KeptReason::Error(error));
                false
            }
        }
    }

    fn remove_found_leftovers(&mut self, run: &str, found: trees::RunLeftovers) -> bool {
        if let Some(root) = &found.worktrees {
            let bytes = size(root);
            if !self.options.dry_run
                && let Err(why) = remove_tree(root)
            {
                let path = root.clone();
                let error = Error::Unreadable { path, why };
                self.note_kept(root, KeptReason::Error(error));
                return false;
            }
            self.note_removed(RemovedKind::Worktrees, run, root.clone(), bytes);
        }
        if let Some(location) = found.checked_out {
            self.note_kept(
                Path::new(&trees::branch(run)),
                KeptReason::CheckedOut(location),
            );
            return false;
        }
        if !self.options.dry_run
            && let Err(error) = self.remains.remove_refs(run)
        {
            self.note_kept(Path::new(&trees::refs(run)), KeptReason::Error(error));
            return false;
        }
        for name in found.refs {
            self.note_removed(RemovedKind::Refs, run, PathBuf::from(name), 0);
        }
        true
    }

    pub(super) fn note_removed(&mut self, kind: RemovedKind, run: &str, path: PathBuf, bytes: u64) {
        self.pruned.removed.push(RemovedItem {
            kind,
            id: run.to_owned(),
            path,
            bytes,
        });
    }
}
