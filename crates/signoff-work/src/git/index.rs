//! Indexes of the harness's own.

use std::path::{Path, PathBuf};

use super::entries::{Difference, differences, index_lines};
use super::names::Name;
use super::{GitError, Id, Own};

impl Own {
    /// What differs between a commit or tree and an index.
    pub(super) fn staged(&self, index: &Path, base: &Id) -> Result<Vec<Difference>, GitError> {
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
        let tree = self.place().join("empty");
        let out = self
            .call_in(&tree, index)
            .words(words)
            .words([base.as_str()])
            .run()?;
        differences(&out)
    }

    /// Makes an index that belongs to no files hold these; `None` takes the path out.
    pub(super) fn correct(
        &self,
        index: &Path,
        entries: &[(Name, Option<(u32, Id)>)],
    ) -> Result<(), GitError> {
        self.correct_in(&self.place().join("empty"), index, entries)
    }

    /// The same with an index of the files of this tree. Git looks at files that were written within the second that the
    /// index was: written later without that look, the index would have them unchanged for ever.
    pub(super) fn correct_in(
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
            .words(["update-index", "-z", "--index-info"])
            .stdin(index_lines(ordered, &none))
            .run()?;
        Ok(())
    }

    /// The tree of an index that belongs to no files.
    pub(super) fn write_tree(&self, index: &Path) -> Result<Id, GitError> {
        self.write_tree_in(&self.place().join("empty"), index)
    }

    /// The tree of an index of the files of this tree, which is written too.
    pub(super) fn write_tree_in(&self, tree: &Path, index: &Path) -> Result<Id, GitError> {
        Id::read(&self.call_in(tree, index).words(["write-tree"]).run()?)
    }
}

/// Names for an input in which each ends in NUL.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n Name>) -> Vec<u8> {
    let parts = names.into_iter().flat_map(|name| [&name[..], b"\0"]);
    parts.collect::<Vec<_>>().concat()
}

/// A path beside another one.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}
