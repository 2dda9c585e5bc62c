//! Undoing what was done in place.

use std::collections::BTreeSet;

use crate::git::names::{Name, name, texts, within};
use crate::git::{GitError, HarnessGit, Id};

/// What was made as it was before, or else the paths that keep it from being done.
pub type Restored = Result<RestoreReport, Vec<String>>;

/// Paths that are as they were before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RestoreReport {
    /// They have their content of before.
    pub restored: Vec<String>,
    /// They were not there before, and are not there now.
    pub deleted: Vec<String>,
}

impl HarnessGit {
    /// Makes these paths of the checkout as in the tree `to`, if each is still as in `left`, or as in `to` already; else
    /// nothing is changed, and the paths are given that are neither. Kept paths are let alone.
    pub fn restore(&self, to: &Id, left: &Id, paths: &[String]) -> Result<Restored, GitError> {
        let plan = self.plan(left, to, Some(&self.ours(paths)))?;
        if !plan.differ.is_empty() {
            return Ok(Err(texts(&plan.differ)));
        }
        self.carry_out(&plan)?;
        let (deleted, restored) = plan.leaving();
        Ok(Ok(RestoreReport {
            restored: texts(&restored),
            deleted: texts(&deleted),
        }))
    }

    /// Which of these paths of the checkout are neither as in `left` nor as in `to`, or have something in their way.
    pub fn in_the_way(
        &self,
        to: &Id,
        left: &Id,
        paths: &[String],
    ) -> Result<Vec<String>, GitError> {
        Ok(texts(&self.plan(left, to, Some(&self.ours(paths)))?.differ))
    }

    /// Those of these paths that are not kept.
    fn ours(&self, paths: &[String]) -> BTreeSet<Name> {
        let names = paths.iter().map(|path| name(path));
        names.filter(|name| !within(name, &self.kept)).collect()
    }

    /// The tree `onto` with these paths as they are in `from`.
    pub fn overlaid(&self, onto: &Id, from: &Id, paths: &[String]) -> Result<Id, GitError> {
        let paths: BTreeSet<Name> = paths.iter().map(|path| name(path)).collect();
        let differences = self.differences(onto, from)?.into_iter();
        let entries: Vec<_> = differences
            .filter(|found| paths.contains(&found.name))
            .map(|found| (found.name, found.after))
            .collect();
        let scratch = self.scratch()?;
        let (index, tree) = (scratch.path("index"), self.place().join("empty"));
        let words = ["read-tree", onto.as_str()];
        self.call_in(&tree, &index).words(words).run()?;
        self.correct(&index, &entries)?;
        self.write_tree(&index)
    }
}
