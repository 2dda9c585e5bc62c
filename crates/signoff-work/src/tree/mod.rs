//! What changed in a workspace, and putting it back: files, links and their modes, except what git
//! ignores.
//!
//! A [`Keeper`] watches one workspace. It reads a file again only when its stamp (inode, size, times,
//! mode) differs, and keeps what it read, so that what a contract changed can be undone. It follows
//! no link, and starts no process: `.gitignore` files are read by `ignore.rs`.
//!
//! Start reading at [`Keeper::snapshot`].

mod beneath;
mod contents;
mod entry;
mod ignore;
mod memory;
mod pattern;
mod protected;
mod read;
mod restore;
mod rules;
mod snapshot;
mod walk;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

pub use self::beneath::{copy_out, strip_rights};
pub(crate) use self::beneath::{open_folder, open_root, split};
use self::contents::Contents;
pub(crate) use self::entry::Stamp;
pub use self::protected::{protected, protected_changes};
pub use self::restore::Restored;
use self::rules::RuleCache;
use self::snapshot::Tree;
pub use self::snapshot::{Change, ChangeKind, Snapshot};
use self::walk::Walked;

/// How much is watched and kept. Beyond it changes are still seen, but cannot be undone, and
/// [`Snapshot::warnings`] says so.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Files whose contents are kept. The others are told by their stamps.
    pub files: usize,
    /// Bytes kept in all, over every version of every file.
    pub bytes: u64,
    /// Bytes of one file.
    pub largest: u64,
    /// Files that are looked at. What lies beyond is not seen at all.
    pub seen: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            files: 100_000,
            bytes: 1024 * 1024 * 1024,
            largest: 64 * 1024 * 1024,
            seen: 1_000_000,
        }
    }
}

/// Watches one workspace, and keeps what was in its files.
#[derive(Debug)]
pub struct Keeper {
    workspace: PathBuf,
    limits: Limits,
    contents: Contents,
    rules: RuleCache,
    /// What was seen last; a file that looks the same is not read again.
    last: Arc<Tree>,
}

impl Keeper {
    /// A keeper of this workspace. `store` is a directory for it alone; it is made when the first file
    /// is kept, and what an earlier keeper left there is overwritten.
    pub fn new(workspace: &Path, store: &Path) -> Self {
        Self::with_limits(workspace, store, Limits::default())
    }

    /// A keeper with other limits.
    pub fn with_limits(workspace: &Path, store: &Path, limits: Limits) -> Self {
        Self {
            // Rules of a repository around it are found by its real place.
            workspace: workspace
                .canonicalize()
                .unwrap_or_else(|_| workspace.to_owned()),
            limits,
            contents: Contents::new(store, limits.bytes),
            rules: RuleCache::default(),
            last: Arc::default(),
        }
    }

    /// Looks at the workspace as it is now, without what git ignores now.
    ///
    /// Fails only if the workspace itself cannot be opened: what cannot be read in it is a warning.
    pub fn snapshot(&mut self) -> io::Result<Snapshot> {
        self.look(None, SystemTime::now())
    }

    /// Looks at the workspace as it is now, with the ignore rules of an earlier snapshot.
    ///
    /// For work that is not to hide what it does: who adds a file and a line in `.gitignore` has still
    /// added a file. What is ignored only since then is told by its stamp ([`Change::ignored_now`])
    /// and not read: it may be all of `node_modules`.
    pub fn snapshot_since(&mut self, before: &Snapshot) -> io::Result<Snapshot> {
        self.look(Some(before), SystemTime::now())
    }

    /// `now` is only compared with the times of files: whether one may be written again unnoticed.
    fn look(&mut self, before: Option<&Snapshot>, now: SystemTime) -> io::Result<Snapshot> {
        let old = before.map(|before| &before.tree().rules);
        let walked = Walked::new(&self.workspace, &mut self.rules, old, self.limits.seen, now)?;
        let tree = read::read(walked, &self.last, &mut self.contents, &self.limits, now);
        self.last = Arc::new(tree);
        Ok(Snapshot::new(Arc::clone(&self.last)))
    }

    /// What differs between two snapshots, by path.
    #[expect(
        clippy::unused_self,
        reason = "snapshots of different keepers cannot be compared"
    )]
    pub fn changes(&self, before: &Snapshot, after: &Snapshot) -> Vec<Change> {
        snapshot::changes(before.tree(), after.tree())
    }

    /// Puts back what these changes, found in comparison with the last snapshot, did.
    ///
    /// Each file is replaced whole or not at all. What somebody changed once more since the last
    /// snapshot is left alone. Times are not put back: a build that saw the changed file must see
    /// that it is another one now.
    pub fn restore(&self, before: &Snapshot, changes: &[Change]) -> Restored {
        restore::restore(
            &self.workspace,
            &self.contents,
            before.tree(),
            &self.last,
            changes,
        )
    }
}

#[cfg(test)]
mod tests;
