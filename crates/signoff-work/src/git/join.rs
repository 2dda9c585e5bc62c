//! What a person did in the checkout joins the tree that a run works on.

use super::names::texts;
use super::{GitError, Id, Own};

/// What came of joining the checkout and a run's tree.
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
    /// Paths that the person and the run changed, each in their own way. Both keep theirs.
    pub conflicts: Vec<String>,
}

impl Own {
    /// Merges what was edited, created, deleted or committed in the checkout since `base` into `head`; touches nothing.
    /// `first` is the tree that the run began with: what it ignores is not looked at.
    pub fn join_checkout(&self, base: &Id, head: &Id, first: &Id) -> Result<JoinReport, GitError> {
        let checkout = self.checkout_tree(base, first)?;
        let base_tree = self.tree_of(base)?;
        if checkout == base_tree {
            return Ok(JoinReport {
                head_tree: self.tree_of(head)?,
                base: base_tree,
                checkout,
                joined: Vec::new(),
                conflicts: Vec::new(),
            });
        }
        let merge = self.merge_trees(&base_tree, head, &checkout)?;
        Ok(JoinReport {
            // Where they conflict, nothing was agreed on.
            base: self.with_paths(&checkout, &base_tree, &merge.conflicts)?,
            head_tree: merge.tree,
            checkout,
            joined: texts(&merge.taken),
            conflicts: texts(&merge.conflicts),
        })
    }
}
