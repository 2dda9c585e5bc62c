//! A directory of a pool that one holder may write to.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustix::fs::FileType;

use super::beneath::{
    join_path, kind_of, names_in, open_folder_anyway, open_folder_to_clear, remove_at, stat_at,
};
use super::slot::{PoolSlot, SlotContent, SlotLock};
use crate::git::{Difference, GitError, HarnessGit, Id, Name, TreeDepth};
use crate::tree::{FileStamp, open_root};

/// A directory that shows a tree to its holder alone, who may write to it.
///
/// A tree that is dropped without [`ExclusiveTree::give_back`] is filled again before the next holder gets it.
#[derive(Debug)]
pub struct ExclusiveTree {
    own: HarnessGit,
    slot: PoolSlot,
    path: PathBuf,
    shown: SlotContent,
    stamps: BTreeMap<Name, FileStamp>,
    taken: SystemTime,
    _lock: SlotLock,
}

impl ExclusiveTree {
    pub(super) fn new(
        own: HarnessGit,
        slot: PoolSlot,
        lock: SlotLock,
        shown: SlotContent,
    ) -> Result<Self, GitError> {
        let path = slot.tree();
        let mut stamps = BTreeMap::new();
        let root = open_root(&path).map_err(GitError::file(&path))?;
        stamp_files(root.as_fd(), b"", &mut stamps).map_err(GitError::file(&path))?;
        slot.forget()?;
        Ok(Self {
            own,
            slot,
            path,
            shown,
            stamps,
            taken: SystemTime::now(),
            _lock: lock,
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The tree that it showed when it was taken.
    pub fn tree(&self) -> &Id {
        &self.shown.tree
    }

    /// Whether a file is certainly as it was. The clocks of file systems tick slowly: what was written just before it
    /// was taken may have been written again within the same tick.
    pub(super) fn is_untouched(&self, name: &[u8], stamp: &FileStamp) -> bool {
        self.stamps.get(name) == Some(stamp) && stamp.is_settled(self.taken)
    }

    /// The files that were there when it was taken.
    pub(super) fn files(&self) -> impl Iterator<Item = &Name> {
        self.stamps.keys()
    }
}

impl ExclusiveTree {
    /// Gives it back. What its holder did is undone, so that it can be lent again in little time.
    pub fn give_back(self) -> Result<(), GitError> {
        let root = open_root(&self.path)
            .and_then(|above| open_folder_to_clear(above.as_fd(), b"."))
            .map_err(GitError::file(&self.path))?;
        let mut untouched = BTreeSet::new();
        self.clear_folder(root.as_fd(), b"", &mut untouched)
            .map_err(GitError::file(&self.path))?;
        let missing = self.stamps.keys().filter(|name| !untouched.contains(*name));
        let missing: Vec<Name> = missing.cloned().collect();
        let missing = self
            .own
            .entries_at(&self.shown.tree, &missing, TreeDepth::Entries)?
            .into_iter()
            .map(|entry| Difference {
                name: entry.name,
                before: None,
                after: Some((entry.mode, entry.id)),
            });
        let missing: Vec<Difference> = missing.collect();
        self.own.update_folder(&self.path, &missing)?;
        self.slot.write_content(&SlotContent {
            // The next holder sets them.
            times: String::new(),
            ..self.shown.clone()
        })
    }

    /// Removes what was not there or is not as it was; what is left is in `untouched`.
    fn clear_folder(
        &self,
        folder: BorrowedFd<'_>,
        path: &[u8],
        untouched: &mut BTreeSet<Name>,
    ) -> io::Result<bool> {
        let before = untouched.len();
        for name in names_in(folder)? {
            let inner = join_path(path, &name);
            let stat = stat_at(folder, &name)?;
            let stays = if kind_of(&stat) == FileType::Directory {
                let opened = open_folder_to_clear(folder, &name)?;
                self.clear_folder(opened.as_fd(), &inner, untouched)?
            } else if self.is_untouched(&inner, &FileStamp::of(&stat)) {
                untouched.insert(inner)
            } else {
                false
            };
            if !stays {
                remove_at(folder, &name)?;
            }
        }
        Ok(untouched.len() > before)
    }
}

/// The stamps of all files of a directory.
fn stamp_files(
    folder: BorrowedFd<'_>,
    path: &[u8],
    stamps: &mut BTreeMap<Name, FileStamp>,
) -> io::Result<()> {
    for name in names_in(folder)? {
        let inner = join_path(path, &name);
        let stat = stat_at(folder, &name)?;
        if kind_of(&stat) == FileType::Directory {
            let opened = open_folder_anyway(folder, &name)?;
            stamp_files(opened.as_fd(), &inner, stamps)?;
        } else {
            stamps.insert(inner, FileStamp::of(&stat));
        }
    }
    Ok(())
}
