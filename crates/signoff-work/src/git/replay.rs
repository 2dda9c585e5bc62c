//! Commits made anew on another one, with the same message, author and time.

use super::{GitError, Id, Merge, Own};

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Replayed {
    /// The last commit; `None` where there was none before and nothing was added.
    Commit(Option<Id>),
    /// Files in which the commits do not go with what is there.
    Conflict(Vec<String>),
}

impl Own {
    /// Replays the commits after `since` up to `head` on `onto`. One that adds nothing is dropped. The same commits on
    /// the same one give the same names.
    pub(super) fn replay(
        &self,
        since: &Id,
        head: &Id,
        onto: Option<&Id>,
    ) -> Result<Replayed, GitError> {
        let mut tip = onto.cloned();
        let nothing = match onto {
            Some(onto) => onto.clone(),
            // A commit to compare with, where there is none.
            None => self.commit(&self.empty_tree()?, &[], "nothing")?,
        };
        let mut before = since.clone();
        for commit in self.commits(since, head)? {
            let ours = tip.as_ref().unwrap_or(&nothing);
            let tree = match self.merge_with(&before, ours, &commit, "false")? {
                Merge::Clean(tree) => tree,
                Merge::Conflict { files, .. } => return Ok(Replayed::Conflict(files)),
            };
            if tree != self.tree_of(ours)? {
                tip = Some(self.made_anew(&commit, &tree, tip.as_ref())?);
            }
            before = commit;
        }
        Ok(Replayed::Commit(tip))
    }

    /// The commit with another tree and parent, and otherwise byte for byte as it was.
    fn made_anew(&self, commit: &Id, tree: &Id, parent: Option<&Id>) -> Result<Id, GitError> {
        let words = ["cat-file", "commit", commit.as_str()];
        let old = self.call().words(words).run()?;
        let mut new = format!("tree {tree}\n").into_bytes();
        if let Some(parent) = parent {
            new.extend(format!("parent {parent}\n").into_bytes());
        }
        let mut rest = &old[..];
        let replaced = |line: &[u8]| line.starts_with(b"tree ") || line.starts_with(b"parent ");
        while replaced(rest) {
            let line = rest.iter().position(|byte| *byte == b'\n');
            rest = line
                .and_then(|line| rest.get(line + 1..))
                .unwrap_or_default();
        }
        new.extend_from_slice(rest);
        let words = ["hash-object", "-t", "commit", "-w", "--stdin"];
        Id::read(&self.call().words(words).stdin(new).run()?)
    }
}
