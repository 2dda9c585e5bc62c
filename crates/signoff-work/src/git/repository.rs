//! The person's repository.

use std::path::{Path, PathBuf};

use super::{Git, GitError, Id, Own};

/// The person's repository.
#[derive(Debug, Clone)]
pub struct Repository {
    git: Git,
    top: PathBuf,
    objects: PathBuf,
}

/// Where a checkout stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The commit; `None` where there is none yet.
    pub commit: Option<Id>,
    /// The full name of the branch, such as `refs/heads/main`; `None` where HEAD is detached.
    pub branch: Option<String>,
}

#[expect(
    clippy::unused_self,
    clippy::missing_const_for_fn,
    reason = "the shape of it, to code against"
)]
impl Repository {
    pub fn find(git: Git, workspace: &Path) -> Result<Option<Self>, GitError> {
        Ok(Some(Self {
            git,
            top: workspace.into(),
            objects: workspace.into(),
        }))
    }
    pub fn top(&self) -> &Path {
        &self.top
    }
    pub fn objects(&self) -> &Path {
        &self.objects
    }
    pub fn obstacles(&self) -> Result<Vec<String>, GitError> {
        Ok(Vec::new())
    }
    pub fn head(&self) -> Result<Head, GitError> {
        Ok(Head {
            commit: None,
            branch: None,
        })
    }
    pub fn read_ref(&self, _name: &str) -> Result<Option<Id>, GitError> {
        Ok(None)
    }
    pub fn move_ref(&self, _name: &str, _to: &Id, _from: Option<&Id>) -> Result<bool, GitError> {
        Ok(false)
    }
    pub fn delete_ref(&self, _name: &str) -> Result<(), GitError> {
        Ok(())
    }
    pub fn refs(&self, _prefix: &str) -> Result<Vec<(String, Id)>, GitError> {
        Ok(Vec::new())
    }
    pub fn own(&self, _place: &Path, _kept: &[String]) -> Result<Own, GitError> {
        Ok(Own {
            repository: self.clone(),
        })
    }
}
