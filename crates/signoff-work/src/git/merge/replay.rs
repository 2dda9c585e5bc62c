//! Commits made anew on another one, with the same message, author and time.
//!
//! Path by path: a change belongs to the file of that name and to no other, which git's own merge would look for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::git::entries::{Difference, tree_entries};
use crate::git::names::Name;
use crate::git::scratch::Scratch;
use crate::git::{GitError, HarnessGit, Id, Merge};

/// The result of a replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReplayOutcome {
    /// The last commit; `None` where there was none before and nothing was added.
    Commit(Option<Id>),
    /// Files in which the commits conflict with what is there.
    Conflict(BTreeSet<Name>),
}

/// The result of replaying changes on a tree.
#[derive(Debug, PartialEq, Eq)]
enum ReplayedChanges {
    Tree(Id),
    /// Files that stand against the changes.
    Conflict(BTreeSet<Name>),
}

/// A file of a tree: its mode and content.
pub(crate) type Blob = (u32, Id);

/// A file that both sides changed: before, ours, theirs.
pub(crate) type ChangedByBoth = (Name, [Blob; 3]);

/// How one commit's changes merge, path by path.
#[derive(Debug, Default)]
pub(crate) struct PathMerges {
    pub(crate) taken: Vec<(Name, Option<Blob>)>,
    pub(crate) both: Vec<ChangedByBoth>,
    pub(crate) conflicts: BTreeSet<Name>,
}

impl HarnessGit {
    /// Replays those of the commits after `since` up to `head` that are missing there on `onto`. One that adds nothing
    /// is dropped. The same commits on the same one give the same names.
    pub(crate) fn replay(
        &self,
        since: &Id,
        head: &Id,
        missing: &BTreeSet<Id>,
        onto: Option<&Id>,
    ) -> Result<ReplayOutcome, GitError> {
        let mut tip = onto.cloned();
        let mut before = since.clone();
        for commit in self.commits(since, head)? {
            if !missing.contains(&commit) {
                before = commit;
                continue;
            }
            let ours = self.tree_or_empty(tip.as_ref())?;
            let tree = match self.replay_changes(&before, &commit, &ours)? {
                ReplayedChanges::Tree(tree) => tree,
                // One by one they may not fit on what is there of all of them already.
                ReplayedChanges::Conflict(_) if self.adds_nothing(since, head, onto)? => {
                    return Ok(ReplayOutcome::Commit(onto.cloned()));
                }
                ReplayedChanges::Conflict(files) => return Ok(ReplayOutcome::Conflict(files)),
            };
            if tree != ours {
                tip = Some(self.made_anew(&commit, &tree, tip.as_ref())?);
            }
            before = commit;
        }
        Ok(ReplayOutcome::Commit(tip))
    }

    /// Is all that changed between two commits in this one, by whatever way it came there?
    fn adds_nothing(&self, since: &Id, head: &Id, at: Option<&Id>) -> Result<bool, GitError> {
        let ours = self.tree_or_empty(at)?;
        let replayed = self.replay_changes(since, head, &ours)?;
        Ok(replayed == ReplayedChanges::Tree(ours))
    }

    fn tree_or_empty(&self, commit: Option<&Id>) -> Result<Id, GitError> {
        match commit {
            Some(commit) => self.tree_of(commit),
            None => self.empty_tree(),
        }
    }

    /// Applies what changed between two commits to the tree `ours`.
    fn replay_changes(
        &self,
        before: &Id,
        after: &Id,
        ours: &Id,
    ) -> Result<ReplayedChanges, GitError> {
        let changes = self.differences(before, after)?;
        let touched: BTreeSet<Name> = changes.iter().map(|change| change.name.clone()).collect();
        let mut merges = PathMerges::new(changes, self.differences(before, ours)?);
        let scratch = self.scratch()?;
        self.merge_both(&mut merges, ours, &|name| scratch.path(name))?;
        if !merges.conflicts.is_empty() {
            return Ok(ReplayedChanges::Conflict(merges.conflicts));
        }
        let tree = self.changed_tree(ours, &merges.taken, &scratch)?;
        let gone = self.given_way(ours, &tree, &touched)?;
        Ok(if gone.is_empty() {
            ReplayedChanges::Tree(tree)
        } else {
            ReplayedChanges::Conflict(gone)
        })
    }

    /// A commit or tree with other files at these paths.
    pub(crate) fn changed_tree(
        &self,
        base: &Id,
        entries: &[(Name, Option<Blob>)],
        scratch: &Scratch,
    ) -> Result<Id, GitError> {
        let index = scratch.path("index");
        let words = ["read-tree", base.as_str()];
        let folder = scratch.folder("none")?;
        self.call_in(&folder, &index).args(words).run()?;
        self.set_entries(&index, entries)?;
        self.write_tree(&index)
    }

    /// Paths that differ though they are none of these: a file gave way to a directory, or the other way round, which
    /// is not to be decided here.
    pub(crate) fn given_way<'n>(
        &self,
        before: &Id,
        after: &Id,
        touched: impl IntoIterator<Item = &'n Name>,
    ) -> Result<BTreeSet<Name>, GitError> {
        let others = self.differences(before, after)?.into_iter();
        let mut others: BTreeSet<Name> = others.map(|change| change.name).collect();
        for name in touched {
            others.remove(name);
        }
        Ok(others)
    }

    /// Merges files that both sides changed. Trees of these files alone: none is there on one side only, so that none
    /// can be taken for another that was moved.
    pub(crate) fn merge_both(
        &self,
        merges: &mut PathMerges,
        ours: &Id,
        scratch: &dyn Fn(&str) -> std::path::PathBuf,
    ) -> Result<(), GitError> {
        if merges.both.is_empty() {
            return Ok(());
        }
        let [before, left, right] = self.sides_of(merges, scratch)?;
        match self.merge_by(&before, &left, &right, ours)? {
            Merge::Clean(tree) => {
                let words = ["ls-tree", "-r", "-z", "--full-tree", tree.as_str()];
                let merged = tree_entries(&self.call().args(words).run()?)?;
                let entries = merged.into_iter();
                merges
                    .taken
                    .extend(entries.map(|entry| (entry.name, Some((entry.mode, entry.id)))));
            }
            Merge::Conflict { files, .. } => {
                let names = files.iter().map(|file| crate::git::names::name(file));
                merges.conflicts.extend(names);
            }
        }
        Ok(())
    }

    /// Commits of the files that both sides changed, and of nothing else: before, ours, theirs.
    pub(crate) fn sides_of(
        &self,
        merges: &PathMerges,
        scratch: &dyn Fn(&str) -> std::path::PathBuf,
    ) -> Result<[Id; 3], GitError> {
        let side = |number: usize, name: &str| {
            let files = merges.both.iter();
            let entries: Vec<_> = files
                .map(|(name, blobs)| (name.clone(), blobs.get(number).cloned()))
                .collect();
            self.commit_of(&scratch(name), &entries)
        };
        Ok([side(0, "before")?, side(1, "ours")?, side(2, "theirs")?])
    }

    fn commit_of(&self, index: &Path, entries: &[(Name, Option<Blob>)]) -> Result<Id, GitError> {
        self.set_entries(index, entries)?;
        self.commit(&self.write_tree(index)?, &[], "one side")
    }

    /// The commit with another tree and parent, and otherwise byte for byte as it was.
    fn made_anew(&self, commit: &Id, tree: &Id, parent: Option<&Id>) -> Result<Id, GitError> {
        let words = ["cat-file", "commit", commit.as_str()];
        let old = self.call().args(words).run()?;
        let mut new = format!("tree {tree}\n").into_bytes();
        if let Some(parent) = parent {
            new.extend(format!("parent {parent}\n").into_bytes());
        }
        let mut rest = &old[..];
        let replaced = |line: &[u8]| line.starts_with(b"tree ") || line.starts_with(b"parent ");
        while replaced(rest) {
            let end = rest.iter().position(|byte| *byte == b'\n');
            let end = end.ok_or_else(|| GitError::unexpected("a commit", "a line without end"))?;
            rest = &rest[end + 1..];
        }
        new.extend_from_slice(rest);
        let words = ["hash-object", "-t", "commit", "-w", "--stdin"];
        Id::read(&self.call().args(words).stdin(new).run()?)
    }
}

impl PathMerges {
    /// `changes` are theirs, `others` ours, both since the same commit.
    pub(crate) fn new(changes: Vec<Difference>, others: Vec<Difference>) -> Self {
        let mut ours: BTreeMap<Name, Option<Blob>> = others
            .into_iter()
            .map(|other| (other.name, other.after))
            .collect();
        let mut merges = Self::default();
        for change in changes {
            let Difference {
                name,
                before,
                after,
            } = change;
            match ours.remove(&name) {
                None => merges.taken.push((name, after)),
                Some(ours) if ours == after => {}
                Some(ours) => match (before, ours, after) {
                    (Some(before), Some(ours), Some(after)) => {
                        merges.both.push((name, [before, ours, after]));
                    }
                    _ => drop(merges.conflicts.insert(name)),
                },
            }
        }
        merges
    }
}
