//! The harness's own git directory.

use std::path::PathBuf;

use super::{GitError, Id, Landed, Landing, Prepared, Repository, Worktree};

/// The harness's own git directory.
#[derive(Debug, Clone)]
pub struct Own {
    pub(super) repository: Repository,
}

/// What came of merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merge {
    /// The tree of both.
    Clean(Id),
    /// They do not go together.
    Conflict { files: Vec<String>, text: String },
}

fn nothing<T>() -> Result<T, GitError> {
    Err(GitError::unexpected("anything", "nothing yet"))
}

impl Own {
    pub fn snapshot(&self) -> Result<Id, GitError> {
        nothing()
    }
    pub fn commit(&self, _tree: &Id, _parents: &[Id], _message: &str) -> Result<Id, GitError> {
        nothing()
    }
    pub fn tree_of(&self, _commit: &Id) -> Result<Id, GitError> {
        nothing()
    }
    pub fn changed(&self, _from: &Id, _to: &Id) -> Result<Vec<String>, GitError> {
        nothing()
    }
    pub fn merge(&self, _base: &Id, _ours: &Id, _theirs: &Id) -> Result<Merge, GitError> {
        nothing()
    }
    pub fn attempt(&self, _since: &Id, _head: &Id, _attempt: &str) -> Result<Option<Id>, GitError> {
        nothing()
    }
    pub fn commits(&self, _since: &Id, _head: &Id) -> Result<Vec<Id>, GitError> {
        nothing()
    }
    pub fn worktree(&self, path: PathBuf, index: PathBuf) -> Worktree {
        Worktree {
            own: self.clone(),
            path,
            index,
        }
    }
    pub fn prepare_landing(&self, _start: &Id, _head: &Id) -> Result<Prepared, GitError> {
        nothing()
    }
    pub fn land(&self, _landing: &Landing, _at: &dyn Fn(&'static str)) -> Result<Landed, GitError> {
        nothing()
    }
    #[expect(clippy::type_complexity, reason = "both are lists of paths")]
    pub fn restore(
        &self,
        _to: &Id,
        _left: &Id,
    ) -> Result<Result<Vec<String>, Vec<String>>, GitError> {
        nothing()
    }
}
