//! What a commit changes and holds, to be read.

use crate::git::{GitError, Id, Repository};

impl Repository {
    /// The difference between a commit and its first parent, as text. No program or filter of the repository is run for it.
    pub fn patch(&self, commit: &Id) -> Result<String, GitError> {
        let out = self
            .call()?
            .args([
                "diff-tree",
                "-p",
                "-r",
                "--root",
                "--no-commit-id",
                "--no-color",
                "--no-ext-diff",
                "--no-textconv",
                "--no-renames",
                "--ignore-submodules=none",
            ])
            .args([commit.as_str()])
            .run()?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }

    /// A file of a commit, as text; `path` is from the top of the repository.
    pub fn text(&self, commit: &Id, path: &str) -> Result<String, GitError> {
        let name = format!("{commit}:{path}");
        let out = self.call()?.args(["cat-file", "blob", &name]).run()?;
        Ok(String::from_utf8_lossy(&out).into_owned())
    }
}
