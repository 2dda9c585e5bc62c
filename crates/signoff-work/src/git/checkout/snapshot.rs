//! Records the checkout without changing it.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::git::checkout::scan::{Scan, Unreadable};
use crate::git::entries::{GITLINK, IndexEntry};
use crate::git::names::{Name, nul_terminated, path_texts};
use crate::git::scratch::{copy_index, write};
use crate::git::{GitError, HarnessGit, Id};

impl HarnessGit {
    /// The checkout as it is: with uncommitted and untracked files, without ignored ones, and with kept paths as in
    /// HEAD. The person's index and branch are untouched.
    pub fn snapshot(&self) -> Result<Id, GitError> {
        let _one_at_a_time = self.lock_scans();
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let base = self.record_checkout(&index)?;
        let tree = self.write_tree_in(self.repository.top(), &index)?;
        self.keep_snapshot(&index, &base, &tree)?;
        Ok(tree)
    }

    /// Makes this index hold what the checkout holds; gives what kept paths were taken from.
    pub(crate) fn record_checkout(&self, index: &Path) -> Result<Id, GitError> {
        self.copy_cleared_index(index)?;
        let base = match self.repository.head()?.commit {
            Some(commit) => commit,
            None => self.empty_tree()?,
        };
        self.scan(&Scan {
            tree: self.repository.top(),
            index,
            base: &base,
            kept: &self.kept,
            excluded: &[],
            unreadable: Unreadable::LeftOut,
        })?;
        Ok(base)
    }

    /// Copies the person's index, so that files it knows are not read again.
    pub(crate) fn copy_cleared_index(&self, index: &Path) -> Result<(), GitError> {
        if !self.copy_persons_index(index)? {
            return Ok(());
        }
        let tree = self.repository.top();
        let words = ["ls-files", "--stage", "-v", "-z"];
        let entries = IndexEntry::read_index(&self.call_in(tree, index).args(words).run()?)?;
        let named = |pick: fn(&IndexEntry) -> bool| -> Vec<&Name> {
            let picked = entries.iter().filter(|entry| pick(entry));
            picked.map(|entry| &entry.name).collect()
        };
        let submodules = named(|entry| entry.mode == GITLINK);
        if !submodules.is_empty() {
            // Git would look into them, by their own configuration.
            let paths = path_texts(submodules);
            return Err(GitError::Submodules { paths });
        }
        // Files that the person told git to take for unchanged are read all the same.
        for (option, names) in [
            ("--no-assume-unchanged", named(|entry| entry.is_assumed)),
            ("--no-skip-worktree", named(|entry| entry.is_skipped)),
        ] {
            if !names.is_empty() {
                self.call_in(tree, index)
                    .args(["update-index", option, "-z", "--stdin"])
                    .stdin(nul_terminated(names))
                    .run()?;
            }
        }
        Ok(())
    }

    /// Copies the person's index with all it refers to; `false` if there is none.
    pub(crate) fn copy_persons_index(&self, to: &Path) -> Result<bool, GitError> {
        let directory = &self.repository.info.directory;
        let from = directory.join("index");
        match copy_index(&from, to) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            copied => copied.map_err(GitError::file(&from))?,
        }
        let entries = fs::read_dir(directory).map_err(GitError::file(directory))?;
        for entry in entries.flatten() {
            let shared = entry.file_name();
            let copy = self.directory().join(&shared);
            // Its name identifies its content.
            if shared.as_bytes().starts_with(b"sharedindex.") && !copy.exists() {
                let path = entry.path();
                write(&copy, &fs::read(&path).map_err(GitError::file(&path))?)?;
            }
        }
        Ok(true)
    }
}
