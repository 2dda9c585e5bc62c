//! Indexes of the harness's own.

use std::path::Path;

use crate::git::entries::{Difference, differences, index_lines};
use crate::git::names::{Name, nul_terminated};
use crate::git::{GitError, HarnessGit, Id};

impl HarnessGit {
    /// What differs between a commit or tree and an index.
    pub(crate) fn index_differences(
        &self,
        index: &Path,
        base: &Id,
    ) -> Result<Vec<Difference>, GitError> {
        let words = [
            "diff-index",
            "--cached",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            // Whatever a `.gitmodules` of an agent says.
            "--ignore-submodules=none",
            "-z",
        ];
        let tree = self.directory().join("empty");
        let out = self
            .call_in(&tree, index)
            .args(words)
            .args([base.as_str()])
            .run()?;
        differences(&out)
    }

    /// Makes an index that belongs to no files hold these; `None` takes the path out.
    pub(crate) fn set_entries(
        &self,
        index: &Path,
        entries: &[(Name, Option<(u32, Id)>)],
    ) -> Result<(), GitError> {
        self.set_entries_in(&self.directory().join("empty"), index, entries)
    }

    /// The same with an index of the files of this tree. Git looks at files that were written within the second that the
    /// index was: written later without that look, the index would have them unchanged for ever.
    pub(crate) fn set_entries_in(
        &self,
        tree: &Path,
        index: &Path,
        entries: &[(Name, Option<(u32, Id)>)],
    ) -> Result<(), GitError> {
        if entries.is_empty() {
            return Ok(());
        }
        let none = self.empty_tree()?.none_like();
        // What goes makes room for what comes: a file may become a directory.
        let (gone, come): (Vec<_>, Vec<_>) = entries.iter().partition(|(_, entry)| entry.is_none());
        let ordered = gone
            .into_iter()
            .chain(come)
            .map(|(name, entry)| (name, entry));
        self.call_in(tree, index)
            .args(["update-index", "-z", "--index-info"])
            .stdin(index_lines(ordered, &none))
            .run()?;
        Ok(())
    }

    /// The tree of an index that belongs to no files.
    pub(crate) fn write_tree(&self, index: &Path) -> Result<Id, GitError> {
        self.write_tree_in(&self.directory().join("empty"), index)
    }

    /// The tree of an index of the files of this tree, which is written too.
    pub(crate) fn write_tree_in(&self, tree: &Path, index: &Path) -> Result<Id, GitError> {
        let made = Id::read(&self.call_in(tree, index).args(["write-tree"]).run()?)?;
        self.recent().trees.insert(made.clone(), made.clone());
        Ok(made)
    }

    /// Writes files as this index has them into a directory of their own, with the attributes that it says.
    pub(crate) fn write_files<'n>(
        &self,
        index: &Path,
        folder: &Path,
        names: impl IntoIterator<Item = &'n Name>,
    ) -> Result<(), GitError> {
        let names = nul_terminated(names);
        if names.is_empty() {
            return Ok(());
        }
        self.call_in(folder, index)
            .args(["checkout-index", "--force", "--quiet", "-z", "--stdin"])
            .stdin(names)
            .run()?;
        Ok(())
    }
}
