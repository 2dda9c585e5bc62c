//! Why files do not let a landing through, in words that say what helps.

use std::collections::BTreeSet;

use crate::git::checkout::update::CheckoutUpdate;
use crate::git::names::{Name, text};
use crate::git::{GitError, HarnessGit, Id};

/// Files that stand against a landing, by what a person can do about it.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    /// In the way of files that come, and nothing that git would show.
    ignored: BTreeSet<Name>,
    /// As committed, with which the run's commits conflict.
    committed: BTreeSet<Name>,
    /// Changed since the run began, and not committed.
    changed: BTreeSet<Name>,
    /// Not committed, and unchanged since the run began, whose commits need it.
    beside: BTreeSet<Name>,
    /// Not committed, and in no commit that lands.
    pub(crate) lost: BTreeSet<Name>,
}

impl HarnessGit {
    /// Sorts what differs in the checkout, and the files whose changes cannot be made anew on the commit or tree `at`.
    pub(crate) fn refusals(
        &self,
        plan: &CheckoutUpdate,
        conflicts: &BTreeSet<Name>,
        at: &Id,
    ) -> Result<Refusals, GitError> {
        let mut refusals = Refusals::default();
        if plan.differ.is_empty() && conflicts.is_empty() {
            return Ok(refusals);
        }
        let names = |found: Vec<crate::git::entries::Difference>| -> BTreeSet<Name> {
            found.into_iter().map(|found| found.name).collect()
        };
        let uncommitted = names(self.index_differences(&plan.index(), at)?);
        for name in plan.differ.union(conflicts) {
            let is_differing = plan.differ.contains(name);
            let set = if is_differing && plan.ignored.contains(name) {
                &mut refusals.ignored
            } else if conflicts.contains(name) && !uncommitted.contains(name) {
                &mut refusals.committed
            } else if !is_differing {
                &mut refusals.beside
            } else if !conflicts.is_empty() && !uncommitted.contains(name) {
                // Committed by somebody since the run began, whose commits go with that.
                continue;
            } else {
                &mut refusals.changed
            };
            set.insert(name.clone());
        }
        Ok(refusals)
    }
}

/// Says something about names.
type Sentence<'s> = &'s dyn Fn(String) -> String;

impl Refusals {
    /// Whether somebody has to settle what two commits say about the same lines.
    pub(crate) fn is_conflict(&self) -> bool {
        !self.committed.is_empty()
    }

    /// A sentence for each kind.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let Self {
            ignored,
            committed,
            changed,
            beside,
            lost,
        } = self;
        let said: [(&BTreeSet<Name>, Sentence<'_>); 5] = [
            (ignored, &|names| {
                let is = if ignored.len() == 1 { "is" } else { "are" };
                format!("{names} {is} in the way (git ignores it): move it away, then land again")
            }),
            (committed, &|names| {
                format!(
                    "the run's commits conflict with what is committed now in {names}: bring them in with `git cherry-pick` and settle it there"
                )
            }),
            (changed, &|names| {
                format!(
                    "{names} changed since the run began: commit that, stash it or move it away, then land again"
                )
            }),
            (beside, &|names| {
                format!(
                    "the run's commits do not fit without what you have not committed in {names}: commit that, then land again"
                )
            }),
            (lost, &|names| {
                format!(
                    "the run removed or took back what you have not committed in {names}, and no commit would show it: commit that first, then land again"
                )
            }),
        ];
        let some = said.into_iter().filter(|(paths, _)| !paths.is_empty());
        some.map(|(paths, sentence)| sentence(names(paths)))
            .collect()
    }
}

/// The first few, in back-ticks.
pub(crate) fn names(names: &BTreeSet<Name>) -> String {
    const SHOWN: usize = 10;
    let shown: Vec<String> = names
        .iter()
        .take(SHOWN)
        .map(|name| format!("`{}`", text(name)))
        .collect();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}
