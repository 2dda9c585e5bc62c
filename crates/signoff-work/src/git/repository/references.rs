//! The person's references, read and moved; and who has which of them checked out.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::git::names::nul_separated;
use crate::git::{GitError, Id, Repository};

/// A checkout of a repository: the first one, or a linked worktree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkout {
    /// Where it is, or was: git forgets one that is gone only after a while.
    pub path: PathBuf,
    /// The full name of its branch, unless HEAD is detached.
    pub branch: Option<String>,
}

impl Repository {
    /// What a reference of this full name stands at.
    pub fn read_ref(&self, name: &str) -> Result<Option<Id>, GitError> {
        let found = self.references_below(name)?;
        let exact = found.into_iter().find(|(found, _)| found == name);
        Ok(exact.map(|(_, id)| id))
    }

    /// Whether git finds something by this name, such as `CHERRY_PICK_HEAD`.
    pub(crate) fn is_ref(&self, name: &str) -> Result<bool, GitError> {
        let words = ["rev-parse", "--verify", "--quiet", name];
        Ok(self.call()?.args(words).run_to(&[0, 1])?.code == 0)
    }

    /// Whether what is checked out was built on this commit.
    pub fn is_in_head(&self, commit: &Id) -> Result<bool, GitError> {
        if self.is_private() {
            return Ok(false);
        }
        let words = ["merge-base", "--is-ancestor", commit.as_str(), "HEAD"];
        // 128: there is no commit yet.
        Ok(self.call()?.args(words).run_to(&[0, 1, 128])?.code == 0)
    }

    /// Moves a reference if it stands where we think; `from` `None` means that there is none yet. `false`: it stands
    /// elsewhere. It never leads to objects that a power failure would take away, where that is asked for.
    pub fn move_ref(&self, name: &str, to: &Id, from: Option<&Id>) -> Result<bool, GitError> {
        let old = from.map_or_else(|| to.none_like(), Id::to_string);
        self.sync_objects()?;
        let begun = SystemTime::now();
        let moved = self
            .call()?
            .args([
                "update-ref",
                "--no-deref",
                "-m",
                "signoff",
                "--end-of-options",
            ])
            .args([name, to.as_str(), &old])
            .outliving_harness()
            .run();
        match moved {
            Ok(_) => self.sync_reference(name, begun).map(|()| true),
            Err(error) => {
                if self.read_ref(name)?.as_ref() == from {
                    return Err(error);
                }
                Ok(false)
            }
        }
    }

    /// Removes a reference; an absent one is fine.
    pub fn delete_ref(&self, name: &str) -> Result<(), GitError> {
        self.call()?
            .args(["update-ref", "--no-deref", "-d", "--end-of-options", name])
            .outliving_harness()
            .run()?;
        Ok(())
    }

    /// Every reference whose full name begins so, by name.
    pub fn refs(&self, prefix: &str) -> Result<Vec<(String, Id)>, GitError> {
        // Git matches whole parts of names.
        let parts = prefix.rsplit_once('/').map_or("refs", |(parts, _)| parts);
        let mut found = self.references_below(parts)?;
        found.retain(|(name, _)| name.starts_with(prefix));
        Ok(found)
    }

    /// Every checkout of this repository.
    pub fn checkouts(&self) -> Result<Vec<Checkout>, GitError> {
        let words = ["worktree", "list", "--porcelain", "-z"];
        let out = self.call()?.args(words).run()?;
        let mut found: Vec<Checkout> = Vec::new();
        for line in nul_separated(&out) {
            if let Some(path) = line.strip_prefix(b"worktree ") {
                found.push(Checkout {
                    path: PathBuf::from(OsStr::from_bytes(path)),
                    branch: None,
                });
            } else if let Some(branch) = line.strip_prefix(b"branch ")
                && let Some(last) = found.last_mut()
            {
                last.branch = Some(String::from_utf8_lossy(branch).into_owned());
            }
        }
        Ok(found)
    }

    fn references_below(&self, parts: &str) -> Result<Vec<(String, Id)>, GitError> {
        let out = self
            .call()?
            .args(["for-each-ref", "--format=%(objectname) %(refname)", "--"])
            .args([parts])
            .run()?;
        let text = String::from_utf8_lossy(&out);
        let lines = text.lines().filter_map(|line| line.split_once(' '));
        lines
            .map(|(id, name)| Ok((name.to_owned(), id.parse()?)))
            .collect()
    }
}
