//! Plans how each file of the checkout changes when a run lands.
//!
//! A file that is as committed goes with HEAD, whoever committed to it since the run began. One that the run found with
//! something that is not committed, and that is still so, goes the way that the run went with it.

use std::collections::BTreeSet;

use crate::git::checkout::update::CheckoutUpdate;
use crate::git::entries::Difference;
use crate::git::landing::lost_files::LandingStates;
use crate::git::names::Name;
use crate::git::{GitError, HarnessGit, Id};

/// How a landing changes the files of the checkout.
#[derive(Debug)]
pub(crate) struct LandingPlan {
    /// Paths that the run or its commits change.
    pub(crate) names: BTreeSet<Name>,
    /// The changes of the files.
    pub(crate) plan: CheckoutUpdate,
    /// What is not committed and would not come back.
    pub(crate) lost: BTreeSet<Name>,
}

impl HarnessGit {
    /// Plans the change of every file. A file that is not committed may be removed and restored by a later commit:
    /// so what the commits show counts too.
    pub(crate) fn plan_landing(&self, sides: LandingStates<'_>) -> Result<LandingPlan, GitError> {
        let mut names = self.touched_paths(sides.start, sides.head)?;
        names.extend(self.touched_paths(sides.at, sides.to)?);
        let (before, after) = self.before_and_after(sides, &names)?;
        let plan = self.plan_update(&before, &after, Some(&names))?;
        let fitted = LandingStates {
            start: &before,
            head: &after,
            ..sides
        };
        let lost = self.lost_files(fitted, &plan)?;
        Ok(LandingPlan { names, plan, lost })
    }

    /// The two commits or trees between which each of these files changes.
    fn before_and_after(
        &self,
        sides: LandingStates<'_>,
        names: &BTreeSet<Name>,
    ) -> Result<(Id, Id), GitError> {
        let LandingStates {
            start,
            head,
            at,
            to,
        } = sides;
        let among = |from, to| self.differences_among(from, to, names);
        let (mut before, mut after) = (among(at, start)?, among(to, head)?);
        if before.is_empty() && after.is_empty() {
            return Ok((at.clone(), to.clone()));
        }
        let now = self.snapshot()?;
        let named = |found: Vec<Difference>| -> BTreeSet<Name> {
            found.into_iter().map(|found| found.name).collect()
        };
        // A file that is as it will be committed has arrived already.
        let (left, uncommitted) = (named(among(&now, to)?), named(among(&now, at)?));
        let goes_with_run = |found: &Difference| {
            let name = &found.name;
            left.contains(name) && uncommitted.contains(name)
        };
        before.retain(&goes_with_run);
        after.retain(&goes_with_run);
        let (fitted, gone) = self.tree_with(to, &after)?;
        if !gone.is_empty() {
            // A file of one way in the place of a directory of the other: then nothing but the run's way is known.
            return Ok((start.clone(), head.clone()));
        }
        Ok((self.tree_with(at, &before)?.0, fitted))
    }

    /// A commit or tree with what these say comes after; and the other paths that gave way to it.
    fn tree_with(
        &self,
        base: &Id,
        changes: &[Difference],
    ) -> Result<(Id, BTreeSet<Name>), GitError> {
        if changes.is_empty() {
            return Ok((base.clone(), BTreeSet::new()));
        }
        let entries: Vec<_> = changes
            .iter()
            .map(|change| (change.name.clone(), change.after.clone()))
            .collect();
        let tree = self.changed_tree(base, &entries, &self.scratch()?)?;
        let gone = self.given_way(base, &tree, changes.iter().map(|change| &change.name))?;
        Ok((tree, gone))
    }
}
