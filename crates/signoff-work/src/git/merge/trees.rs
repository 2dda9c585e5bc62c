//! Merges two trees path by path. What conflicts stays as one side has it, and is named.
//!
//! A change belongs to the file of that name and to no other: git's own merge would look for moved files, and so carry
//! an edit of one file into another.

use std::collections::BTreeSet;

use crate::git::entries::{Difference, tree_entries};
use crate::git::merge::replay::{Blob, PathMerges};
use crate::git::names::{Name, lies_within, name};
use crate::git::{GitError, HarnessGit, Id};

/// The result of merging two trees.
#[derive(Debug)]
pub(crate) struct TreeMerge {
    /// `ours`, with every change of `theirs` that does not conflict.
    pub(crate) tree: Id,
    /// Paths that differ from `ours` now.
    pub(crate) taken: BTreeSet<Name>,
    /// The removed ones among them.
    pub(crate) deleted: BTreeSet<Name>,
    /// The ones among them that have lines of both sides.
    pub(crate) merged: BTreeSet<Name>,
    /// Paths that both sides changed, each in its own way.
    pub(crate) conflicts: BTreeSet<Name>,
}

impl HarnessGit {
    /// `ours` with what `theirs` changed since `base`. Where they conflict, `ours` stays.
    pub fn merge_keeping(&self, base: &Id, ours: &Id, theirs: &Id) -> Result<Id, GitError> {
        let trees = (
            self.tree_of(base)?,
            self.tree_of(ours)?,
            self.tree_of(theirs)?,
        );
        Ok(self.merge_trees(&trees.0, &trees.1, &trees.2)?.tree)
    }

    /// The tree `onto` with these paths as they are in `from`.
    pub fn with_paths_from(&self, onto: &Id, from: &Id, paths: &[String]) -> Result<Id, GitError> {
        let paths: BTreeSet<Name> = paths.iter().map(|path| name(path)).collect();
        let differences = self.differences(onto, from)?.into_iter();
        let entries: Vec<_> = differences
            .filter(|found| paths.contains(&found.name))
            .map(|found| (found.name, found.after))
            .collect();
        let scratch = self.scratch()?;
        let (index, tree) = (scratch.path("index"), self.directory().join("empty"));
        let words = ["read-tree", onto.as_str()];
        self.call_in(&tree, &index).args(words).run()?;
        self.set_entries(&index, &entries)?;
        self.write_tree(&index)
    }

    /// Brings what `theirs` changed since `base` into `ours`; each is a commit or a tree. Kept paths stay as in `ours`.
    pub(crate) fn merge_trees(
        &self,
        base: &Id,
        ours: &Id,
        theirs: &Id,
    ) -> Result<TreeMerge, GitError> {
        let mut changes = self.differences(base, theirs)?;
        let all = changes.len();
        changes.retain(|change| !lies_within(&change.name, &self.kept));
        let others = self.differences(base, ours)?;
        let is_theirs = changes.len() == all && others.is_empty();
        let mut merges = PathMerges::new(changes, others);
        let merged = self.merge_files(&mut merges, ours)?;
        let mut conflicts = std::mem::take(&mut merges.conflicts);
        let tree = if is_theirs {
            self.tree_of(theirs)?
        } else {
            self.apply_changes(ours, &mut merges.taken, &mut conflicts)?
        };
        let gone = merges.taken.iter().filter(|(_, entry)| entry.is_none());
        let deleted = gone.map(|(name, _)| name.clone()).collect();
        let taken: BTreeSet<Name> = merges.taken.into_iter().map(|(name, _)| name).collect();
        Ok(TreeMerge {
            tree,
            deleted,
            merged: merged.intersection(&taken).cloned().collect(),
            taken,
            conflicts,
        })
    }

    /// Merges the files that both sides changed, each for itself; the names of those that could be merged.
    fn merge_files(&self, merges: &mut PathMerges, ours: &Id) -> Result<BTreeSet<Name>, GitError> {
        let names: BTreeSet<Name> = merges.both.iter().map(|(name, _)| name.clone()).collect();
        if names.is_empty() {
            return Ok(names);
        }
        let scratch = self.scratch()?;
        let [base, left, right] = self.sides_of(merges, &|name| scratch.path(name))?;
        let outcome = self.merge_contents(&base, &left, &right, ours)?;
        let words = ["ls-tree", "-r", "-z", "--full-tree", outcome.tree.as_str()];
        let clean: Vec<_> = tree_entries(&self.call().args(words).run()?)?
            .into_iter()
            .filter(|entry| names.contains(&entry.name) && !outcome.files.contains(&entry.name))
            .collect();
        let merged: BTreeSet<Name> = clean.iter().map(|entry| entry.name.clone()).collect();
        merges.conflicts.extend(names.difference(&merged).cloned());
        let entries = clean.into_iter();
        merges
            .taken
            .extend(entries.map(|entry| (entry.name, Some((entry.mode, entry.id)))));
        Ok(merged)
    }

    /// `ours` with these files. A file that would take the place of a directory of `ours`, or lie in one of its files, is
    /// no longer taken: it conflicts.
    fn apply_changes(
        &self,
        ours: &Id,
        taken: &mut Vec<(Name, Option<Blob>)>,
        conflicts: &mut BTreeSet<Name>,
    ) -> Result<Id, GitError> {
        loop {
            if taken.is_empty() {
                return self.tree_of(ours);
            }
            let tree = self.changed_tree(ours, taken, &self.scratch()?)?;
            let removed: BTreeSet<&Name> = taken
                .iter()
                .filter(|(_, entry)| entry.is_none())
                .map(|(name, _)| name)
                .collect();
            let displaced: Vec<Name> = self
                .differences(ours, &tree)?
                .into_iter()
                .filter(|found| found.after.is_none() && !removed.contains(&found.name))
                .map(|found| found.name)
                .collect();
            if displaced.is_empty() {
                return Ok(tree);
            }
            let before = taken.len();
            taken.retain(|(name, entry)| {
                let stays = entry.is_none() || !displaced.iter().any(|other| overlap(name, other));
                if !stays {
                    conflicts.insert(name.clone());
                }
                stays
            });
            if taken.len() == before {
                return Err(GitError::unexpected(
                    "a tree without displaced files",
                    &crate::git::names::path_texts(&displaced).join(", "),
                ));
            }
        }
    }

    /// The commit or tree `onto` with these paths as they are in `from`, but for those that would take the place of others.
    pub(crate) fn with_paths(
        &self,
        onto: &Id,
        from: &Id,
        names: &BTreeSet<Name>,
    ) -> Result<Id, GitError> {
        let mut differences = self.differences(onto, from)?;
        let all = differences.len();
        differences.retain(|found| names.contains(&found.name));
        if differences.len() == all {
            return self.tree_of(from);
        }
        let mut entries = differences
            .into_iter()
            .map(|Difference { name, after, .. }| (name, after))
            .collect();
        self.apply_changes(onto, &mut entries, &mut BTreeSet::new())
    }
}

/// Whether one of two paths lies in the other.
pub(crate) fn overlap(one: &Name, other: &Name) -> bool {
    lies_within(one, std::slice::from_ref(other)) || lies_within(other, std::slice::from_ref(one))
}
