//! What the checkout holds at some paths, and the state of each file when it was read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::git::files::file_writer::{FileState, FileWriter};
use crate::git::files::hold_reason::HoldReason;
use crate::git::names::{Name, lies_within, nul_separated, nul_terminated, path};
use crate::git::scratch::{Scratch, copy_index};
use crate::git::{GitError, HarnessGit, Id};

/// What the checkout holds at some paths, as far as the harness may read it.
#[derive(Debug)]
pub(crate) struct CheckoutPaths {
    pub(crate) scratch: Scratch,
    pub(crate) tree: Id,
    /// Ignored paths.
    pub(crate) ignored: BTreeSet<Name>,
    pub(crate) file_states: BTreeMap<Name, Option<FileState>>,
    /// What cannot be compared, and why.
    pub(crate) held: BTreeMap<Name, HoldReason>,
}

impl HarnessGit {
    /// Reads these paths of the checkout, ignored or not.
    pub(crate) fn checkout_paths(
        &self,
        names: &BTreeSet<Name>,
        base: &Id,
        first: &Id,
    ) -> Result<CheckoutPaths, GitError> {
        let tree = self.checkout_tree(base, first)?;
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        copy_index_if_exists(&self.snapshot_index(), &index)?;
        let writer = FileWriter::open(self.repository.top())?;
        let mut held = BTreeMap::new();
        let mut files: BTreeSet<&Name> = BTreeSet::new();
        for name in names {
            match writer.is_file(name) {
                _ if is_repository_path(name) || lies_within(name, &self.kept) => {
                    held.insert(name.clone(), HoldReason::InTheWay);
                }
                Ok(true) => drop(files.insert(name)),
                Ok(false) => {}
                Err(reason) => drop(held.insert(name.clone(), reason)),
            }
        }
        let all = if files.is_empty() {
            tree.clone()
        } else {
            self.add_files(&index, files.iter().copied())?;
            self.write_tree_in(self.repository.top(), &index)?
        };
        let new = self.differences(&tree, &all)?.into_iter();
        let ignored = new.filter(|found| found.before.is_none());
        let ignored: BTreeSet<Name> = ignored.map(|found| found.name).collect();
        let file_states = self.file_states(&writer, &index, names, &mut held)?;
        Ok(CheckoutPaths {
            scratch,
            tree: all,
            ignored,
            file_states,
            held,
        })
    }

    /// Makes an index of the checkout hold what is at these paths, which are files or nothing.
    pub(crate) fn add_files<'n>(
        &self,
        index: &Path,
        files: impl IntoIterator<Item = &'n Name>,
    ) -> Result<(), GitError> {
        self.call_in(self.repository.top(), index)
            .args(["update-index", "--add", "--remove", "--replace"])
            .args(["-z", "--stdin"])
            .stdin(nul_terminated(files))
            .run()?;
        Ok(())
    }

    /// The state of each file that was read. A file that was written meanwhile is held as changing.
    fn file_states(
        &self,
        writer: &FileWriter,
        index: &Path,
        names: &BTreeSet<Name>,
        held: &mut BTreeMap<Name, HoldReason>,
    ) -> Result<BTreeMap<Name, Option<FileState>>, GitError> {
        let mut file_states = BTreeMap::new();
        for name in names {
            let state = writer
                .file_state(name)
                .map_err(GitError::file(path(name)))?;
            file_states.insert(name.clone(), state);
        }
        let out = self
            .call_in(self.repository.top(), index)
            .args(["diff-files", "--name-only", "-z"])
            .run()?;
        for name in nul_separated(&out).filter(|name| names.contains(*name)) {
            held.entry(name.to_vec()).or_insert(HoldReason::Changing);
        }
        Ok(file_states)
    }
}

/// Whether a path lies in a git directory, which no tree can hold in good faith.
fn is_repository_path(name: &[u8]) -> bool {
    name.split(|byte| *byte == b'/')
        .any(|part| part.eq_ignore_ascii_case(b".git"))
}

/// Copies an index; an empty checkout has none.
pub(crate) fn copy_index_if_exists(from: &Path, to: &Path) -> Result<(), GitError> {
    if from.exists() {
        copy_index(from, to).map_err(GitError::file(from))?;
    }
    Ok(())
}
