//! A tree for an agent to work in.

use std::path::{Path, PathBuf};

use super::{GitError, Id, Own};

/// A tree for an agent to work in.
#[derive(Debug, Clone)]
pub struct Worktree {
    pub(super) own: Own,
    pub(super) path: PathBuf,
    pub(super) index: PathBuf,
}

impl Worktree {
    pub fn path(&self) -> &Path {
        &self.path
    }
    pub fn exists(&self) -> bool {
        false
    }
    pub fn make(&self, _commit: &Id) -> Result<(), GitError> {
        Ok(())
    }
    pub fn tree(&self) -> Result<Id, GitError> {
        Err(GitError::unexpected("anything", "nothing yet"))
    }
    pub fn set(&self, _commit: &Id) -> Result<(), GitError> {
        Ok(())
    }
    pub fn put_back(&self, _from: &Id, _paths: &[String]) -> Result<(), GitError> {
        Ok(())
    }
    pub fn exclude_untracked(&self) -> Result<(), GitError> {
        Ok(())
    }
    pub fn remove(&self) -> std::io::Result<()> {
        Ok(())
    }
}
