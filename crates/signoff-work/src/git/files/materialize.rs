//! Fills directories with the files of a tree.

use std::path::Path;

use crate::git::entries::Difference;
use crate::git::files::working_tree::{TreeOwner, WorkingTree};
use crate::git::names::Name;
use crate::git::{GitError, HarnessGit, Id, path};

impl HarnessGit {
    /// Fills an empty directory with the files of a commit or tree.
    pub(crate) fn fill_folder(&self, folder: &Path, tree: &Id) -> Result<(), GitError> {
        let scratch = self.scratch()?;
        self.call_in(folder, &scratch.path("index"))
            // One writer for each processor, where there are enough files for that.
            .setting("checkout.workers", "0")
            .args(["read-tree", "--reset", "-u", tree.as_str()])
            .run()?;
        Ok(())
    }

    /// Makes these paths of a directory that shows one tree as they are in another one. Files are made anew, never
    /// written to.
    pub(crate) fn update_folder(
        &self,
        folder: &Path,
        differences: &[Difference],
    ) -> Result<(), GitError> {
        let working_tree = WorkingTree::open(folder)?;
        for difference in differences.iter().filter(|path| path.before.is_some()) {
            let name = &difference.name;
            working_tree
                .take_away(name, TreeOwner::Harness)
                .map_err(GitError::file(&folder.join(path(name))))?;
        }
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        let there = differences.iter().filter(|path| path.after.is_some());
        let entries: Vec<(Name, _)> = there
            .map(|path| (path.name.clone(), path.after.clone()))
            .collect();
        self.set_entries(&index, &entries)?;
        self.write_files(&index, folder, entries.iter().map(|(name, _)| name))
    }
}
