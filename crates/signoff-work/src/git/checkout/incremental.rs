//! Records the checkout again and again, with an index of our own that remembers which files were read.

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::git::checkout::scan::{Scan, Unreadable};
use crate::git::names::{Name, exactly, except, nul_separated};
use crate::git::scratch::{copy_index, write};
use crate::git::{GitError, HarnessGit, Id};

/// What differs from the index: the answer to one question to git.
#[derive(Debug, Default)]
struct IndexChanges {
    /// Files that the index does not know; of new directories the name alone, with a slash at its end.
    untracked: Vec<Name>,
    /// Whether files that it knows were changed or removed.
    has_changes: bool,
}

/// What is not ignored now, but was when the run began.
#[derive(Debug)]
struct FormerlyIgnored {
    names: Vec<Name>,
    /// Whether nothing else is untracked.
    is_all: bool,
}

/// The last snapshot of the checkout.
#[derive(Debug, PartialEq, Eq)]
struct LastSnapshot {
    /// What it was compared with.
    base: String,
    tree: Id,
}

impl HarnessGit {
    /// The checkout as it is now, with uncommitted and untracked files, and kept paths as in `base`.
    ///
    /// Every path of `base` counts, whatever is ignored. Of other files those are left out that are ignored now, and those
    /// that the rules of `first` ignore, the tree that the run began with: removing a line of `.gitignore` during a run
    /// does not hand secrets to agents. The person's index and branch are untouched.
    pub fn checkout_tree(&self, base: &Id, first: &Id) -> Result<Id, GitError> {
        let _one_at_a_time = self.lock_scans();
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let last = self.last_snapshot(&index)?;
        if last.is_none() {
            self.copy_cleared_index(&index)?;
        }
        let last = last.filter(|last| last.base == base.as_str());
        if last.is_none() {
            self.track(&index, base)?;
        }
        let news = self.index_changes(&index)?;
        let hidden = self.formerly_ignored(&index, &news, first)?;
        let is_old = !news.has_changes && hidden.is_all;
        if let Some(last) = last.filter(|_| is_old) {
            return Ok(last.tree);
        }
        self.scan(&Scan {
            tree: self.repository.top(),
            index: &index,
            base,
            kept: &self.kept,
            excluded: &hidden.names,
            unreadable: Unreadable::LeftOut,
        })?;
        let tree = self.write_tree_in(self.repository.top(), &index)?;
        self.keep_snapshot(&index, base, &tree)?;
        Ok(tree)
    }

    /// Keeps an index that holds what the checkout holds, for the next snapshot.
    pub(crate) fn keep_snapshot(&self, index: &Path, base: &Id, tree: &Id) -> Result<(), GitError> {
        let note = self.snapshot_note();
        match fs::remove_file(&note) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(GitError::File { path: note, error });
            }
            Ok(()) | Err(_) => {}
        }
        // An empty checkout has no index.
        if !index.exists() {
            return Ok(());
        }
        self.repository.keep_index(index)?;
        let kept = self.snapshot_index();
        fs::rename(index, &kept).map_err(GitError::file(&kept))?;
        // Last: an index without it is not used.
        write(&note, format!("{base} {tree}").as_bytes())
    }

    /// Takes what was just written to the checkout into the last snapshot, which was compared with `before`; the next one,
    /// compared with `base`, does not find it new.
    pub(crate) fn renew_snapshot(
        &self,
        before: &Id,
        base: &Id,
        written: &BTreeSet<Name>,
    ) -> Result<(), GitError> {
        let _one_at_a_time = self.lock_scans();
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let last = self.last_snapshot(&index)?;
        if last.is_none_or(|last| last.base != before.as_str()) {
            return Ok(());
        }
        self.add_files(&index, written)?;
        let tree = self.write_tree_in(self.repository.top(), &index)?;
        self.keep_snapshot(&index, base, &tree)
    }

    /// Copies the index of the last snapshot, if there is one.
    fn last_snapshot(&self, index: &Path) -> Result<Option<LastSnapshot>, GitError> {
        let Ok(note) = fs::read_to_string(self.snapshot_note()) else {
            return Ok(None);
        };
        let Some((base, tree)) = note.split_once(' ') else {
            return Ok(None);
        };
        let from = self.snapshot_index();
        copy_index(&from, index).map_err(GitError::file(&from))?;
        Ok(Some(LastSnapshot {
            base: base.to_owned(),
            tree: tree.parse()?,
        }))
    }

    /// Adds every path of this tree to the index. The scan that follows finds those that the checkout does not have.
    fn track(&self, index: &Path, base: &Id) -> Result<(), GitError> {
        let unknown: Vec<_> = self
            .index_differences(index, base)?
            .into_iter()
            .filter(|found| found.after.is_none())
            .map(|found| (found.name, found.before))
            .collect();
        self.set_entries_in(self.repository.top(), index, &unknown)
    }

    /// What differs between the checkout and the index, but for kept paths.
    fn index_changes(&self, index: &Path) -> Result<IndexChanges, GitError> {
        let out = self
            .call_in(self.repository.top(), index)
            .args(["ls-files", "-t", "-z", "--modified", "--deleted"])
            .args(["--others", "--exclude-standard"])
            .args(["--directory", "--no-empty-directory", "--", ":(top)"])
            .args(self.kept.iter().map(|name| except(name)))
            .run()?;
        let mut news = IndexChanges::default();
        for line in nul_separated(&out) {
            match line.strip_prefix(b"? ") {
                Some(name) => news.untracked.push(name.to_vec()),
                None => news.has_changes = true,
            }
        }
        Ok(news)
    }

    /// The untracked paths that were ignored when the run began.
    fn formerly_ignored(
        &self,
        index: &Path,
        news: &IndexChanges,
        first: &Id,
    ) -> Result<FormerlyIgnored, GitError> {
        let mut names = self.ignored_names(first, &news.untracked)?;
        let mut visible: Vec<Name> = news.untracked.clone();
        visible.retain(|name| !names.contains(name));
        // A new directory may hold both kinds.
        let (folders, files): (Vec<Name>, Vec<Name>) =
            visible.into_iter().partition(|name| name.ends_with(b"/"));
        let mut is_all = files.is_empty();
        if !folders.is_empty() {
            let words = ["ls-files", "-z", "--others", "--exclude-standard", "--"];
            let inside = self
                .call_in(self.repository.top(), index)
                .args(words)
                .args(folders.iter().map(|name| exactly(name)))
                .run()?;
            let inside: Vec<Name> = nul_separated(&inside).map(<[u8]>::to_vec).collect();
            let ignored = self.ignored_names(first, &inside)?;
            is_all &= ignored.len() == inside.len();
            names.extend(ignored);
        }
        for name in &mut names {
            if name.ends_with(b"/") {
                name.pop();
            }
        }
        Ok(FormerlyIgnored { names, is_all })
    }

    /// The index of the last snapshot.
    pub(crate) fn snapshot_index(&self) -> PathBuf {
        self.directory().join("checkout.index")
    }

    fn snapshot_note(&self) -> PathBuf {
        self.directory().join("checkout.look")
    }
}
