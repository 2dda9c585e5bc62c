//! The repository that a process finds in a recorded tree: it can commit there, and reach nothing of the person's but
//! objects.

use std::fs;
use std::path::Path;

use super::repository;
use crate::git::scratch::read_if_there;
use crate::git::{GitError, HarnessGit, Id};

impl HarnessGit {
    /// Makes a directory that holds nothing but `.git`, at this commit. `objects` is where the process finds the objects
    /// of the person's repository.
    pub fn write_repository(
        &self,
        folder: &Path,
        commit: &Id,
        objects: &Path,
    ) -> Result<(), GitError> {
        fs::create_dir_all(folder).map_err(GitError::file(folder))?;
        let scratch = self.scratch()?;
        let index = scratch.path("index");
        // Without the times of files: `git status` reads them anew.
        self.call_in(folder, &index)
            .args(["read-tree", commit.as_str()])
            .run()?;
        repository::make(self, folder, &index, commit, &[])?;
        let alternates = folder.join(".git/objects/info/alternates");
        let mut lines = repository::alternate(objects);
        lines.extend(self.more_objects()?);
        fs::write(&alternates, lines).map_err(GitError::file(&alternates))
    }

    /// Where the person's repository finds objects beside its own.
    fn more_objects(&self) -> Result<Vec<u8>, GitError> {
        let file = self.repository.objects().join("info/alternates");
        let text = read_if_there(&file)?;
        let lines = text.split(|byte| *byte == b'\n');
        let absolute = lines.filter(|line| line.starts_with(b"/"));
        Ok(absolute.flat_map(|line| [line, b"\n"].concat()).collect())
    }
}
