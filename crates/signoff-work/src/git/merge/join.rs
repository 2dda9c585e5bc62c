//! Joins a person's changes of the checkout into the tree that a run works on.

use std::collections::{BTreeMap, BTreeSet};

use crate::git::entries::Difference;
use crate::git::merge::replay::Blob;
use crate::git::names::{Name, path_texts};
use crate::git::{GitError, HarnessGit, Id};

/// A file that differed in this many snapshots in a row is left alone until it rests.
const RESTLESS: u32 = 4;

/// Files that change all the time, such as a log: each snapshot would join another version of them.
#[derive(Debug, Clone, Default)]
pub struct RestlessFiles(BTreeMap<Name, RestlessFile>);

/// The last known content of a file.
#[derive(Debug, Clone)]
struct RestlessFile {
    found: Option<Blob>,
    /// How many snapshots in a row found different content.
    changes: u32,
}

impl RestlessFiles {
    /// Notes how changed files are found now, and names those that do not rest.
    fn note_changed(&mut self, changed: Vec<Difference>) -> BTreeSet<Name> {
        let mut before = std::mem::take(&mut self.0);
        for Difference { name, after, .. } in changed {
            let changes = match before.remove(&name) {
                Some(seen) if seen.found == after => 0,
                Some(seen) => seen.changes + 1,
                None => 1,
            };
            let found = after;
            self.0.insert(name, RestlessFile { found, changes });
        }
        let restless = self.0.iter().filter(|(_, seen)| seen.changes >= RESTLESS);
        restless.map(|(name, _)| name.clone()).collect()
    }
}

/// The result of joining the checkout and a run's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinReport {
    /// The run's tree, with what the person did.
    pub head_tree: Id,
    /// The tree that the checkout and the run agree on now, for the next join or landing.
    pub base: Id,
    /// The checkout as it was found, for a commit that keeps it.
    pub checkout: Id,
    /// Paths of the run's tree that changed.
    pub joined: Vec<String>,
    /// The ones among them that the person deleted.
    pub deleted: Vec<String>,
    /// Paths that the person and the run changed, each in their own way. Both keep theirs.
    pub conflicts: Vec<String>,
}

impl HarnessGit {
    /// Merges what was edited, created, deleted or committed in the checkout since `base` into `head`; touches nothing.
    /// `first` is the tree that the run began with: what it ignores is not looked at. What changes at every look is left
    /// for a later one.
    pub fn join_checkout(
        &self,
        base: &Id,
        head: &Id,
        first: &Id,
        restless: &mut RestlessFiles,
    ) -> Result<JoinReport, GitError> {
        let base_tree = self.tree_of(base)?;
        let mut checkout = self.checkout_tree(base, first)?;
        if checkout == base_tree {
            *restless = RestlessFiles::default();
        } else {
            let restless = restless.note_changed(self.differences(&base_tree, &checkout)?);
            checkout = self.with_paths(&checkout, &base_tree, &restless)?;
        }
        if checkout == base_tree {
            return Ok(JoinReport {
                head_tree: self.tree_of(head)?,
                base: base_tree,
                checkout,
                joined: Vec::new(),
                deleted: Vec::new(),
                conflicts: Vec::new(),
            });
        }
        let merge = self.merge_trees(&base_tree, head, &checkout)?;
        Ok(JoinReport {
            // Where they conflict, nothing was agreed on.
            base: self.with_paths(&checkout, &base_tree, &merge.conflicts)?,
            head_tree: merge.tree,
            checkout,
            joined: path_texts(&merge.taken),
            deleted: path_texts(&merge.deleted),
            conflicts: path_texts(&merge.conflicts),
        })
    }
}
