//! Uncommitted changes that a landing would lose for good.
//!
//! A run begins with what is not committed. Where it takes some of that away, or changes it back, no commit that lands
//! may show it: compared with HEAD nothing changed. So a landing must be such that taking its commits back, as
//! `git revert` does, gives the person's files again as they were.

use std::collections::{BTreeMap, BTreeSet};

use crate::git::checkout::update::CheckoutUpdate;
use crate::git::merge::replay::PathMerges;
use crate::git::names::Name;
use crate::git::{GitError, HarnessGit, Id};

/// The states that a landing is between, each a commit or a tree.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LandingStates<'s> {
    /// What the run began with, and what is in the checkout still.
    pub(crate) start: &'s Id,
    /// What it made of that, and what will be in the checkout.
    pub(crate) head: &'s Id,
    /// What is committed.
    pub(crate) at: &'s Id,
    /// What will be.
    pub(crate) to: &'s Id,
}

impl HarnessGit {
    /// Those of the paths that the plan changes at which something is not committed, and would not come back if
    /// the commits that land were reverted.
    pub(crate) fn lost_files(
        &self,
        sides: LandingStates<'_>,
        plan: &CheckoutUpdate,
    ) -> Result<BTreeSet<Name>, GitError> {
        let LandingStates {
            start,
            head,
            at,
            to,
        } = sides;
        let between = |from, to, among: &BTreeSet<Name>| self.differences_among(from, to, among);
        let uncommitted: BTreeSet<Name> = between(at, start, &plan.changed_names())?
            .into_iter()
            .map(|difference| difference.name)
            .collect();
        if uncommitted.is_empty() {
            return Ok(uncommitted);
        }
        let mut back = PathMerges::new(
            between(to, at, &uncommitted)?,
            between(to, head, &uncommitted)?,
        );
        let scratch = self.scratch()?;
        let attributes = self.tree_of(head)?;
        self.merge_both(&mut back, &attributes, &|name| scratch.path(name))?;
        let back: BTreeMap<Name, _> = back.taken.into_iter().collect();
        let wanted = between(head, start, &uncommitted)?.into_iter();
        let lost = wanted.filter(|wanted| back.get(&wanted.name) != Some(&wanted.after));
        Ok(lost.map(|difference| difference.name).collect())
    }
}
