//! A person settles files that were held: with the run's version, or with what is in the checkout.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::git::names::{Name, name, path};
use crate::git::{GitError, HarnessGit, Id};

/// How a person settles files that were held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settling {
    /// The run's version takes the place of what is in the checkout.
    Take,
    /// What is in the checkout stays.
    Keep,
}

impl HarnessGit {
    /// The tree that the checkout and the run agree on once these files are settled; touches nothing. The next landing
    /// from it writes what is to be taken, and has nothing to do for what is kept.
    ///
    /// `base` is what both agreed on before, and `first` the tree that the run began with.
    pub fn settle_files(
        &self,
        base: &Id,
        head: &Id,
        first: &Id,
        paths: &[String],
        how: Settling,
    ) -> Result<Id, GitError> {
        let names: BTreeSet<Name> = paths.iter().map(|text| name(text)).collect();
        match how {
            Settling::Keep => self.with_paths(base, head, &names),
            Settling::Take => {
                let present = self.checkout_paths(&names, base, first)?;
                self.with_paths(base, &present.tree, &names)
            }
        }
    }

    /// Writes files as a tree has them into an empty directory, and says where each is; those that the tree does not have are
    /// nowhere.
    pub fn export_files(
        &self,
        tree: &Id,
        paths: &[String],
        folder: &Path,
    ) -> Result<Vec<Option<PathBuf>>, GitError> {
        let names: Vec<Name> = paths.iter().map(|text| name(text)).collect();
        let wanted: BTreeSet<Name> = names.iter().cloned().collect();
        let there = self.differences_among(&self.empty_tree()?, tree, &wanted)?;
        let there: BTreeSet<Name> = there.into_iter().map(|found| found.name).collect();
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let words = ["read-tree", tree.as_str()];
        self.call_in(folder, &index).args(words).run()?;
        self.write_files(&index, folder, &there)?;
        let copy_path = |name: &Name| there.contains(name).then(|| folder.join(path(name)));
        Ok(names.iter().map(copy_path).collect())
    }
}
