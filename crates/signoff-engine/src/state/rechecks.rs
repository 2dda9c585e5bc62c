//! Contracts that have to hold at the end of the run.

use std::collections::BTreeSet;

/// Completed steps whose contracts have to hold at the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rechecks {
    /// By the tree version of their verdict, then by step.
    verdicts: BTreeSet<(u64, usize)>,
    /// Steps whose contracts have only held with what earlier ones had built.
    unconfirmed: BTreeSet<usize>,
}

impl Rechecks {
    pub(crate) fn add(&mut self, step: usize, tree_version: u64, is_confirmed: bool) {
        self.verdicts.insert((tree_version, step));
        if !is_confirmed {
            self.unconfirmed.insert(step);
        }
    }

    /// The step's contract holds on a later tree as well.
    pub(crate) fn renew(&mut self, step: usize, tree_version: u64) {
        self.verdicts.retain(|&(_, judged)| judged != step);
        self.verdicts.insert((tree_version, step));
    }

    pub(crate) fn remove(&mut self, step: usize) {
        self.verdicts.retain(|&(_, judged)| judged != step);
        self.unconfirmed.remove(&step);
    }

    pub(crate) fn confirm(&mut self, step: usize) {
        self.unconfirmed.remove(&step);
    }

    pub(crate) fn held_without_build_cache(&self, step: usize) -> bool {
        !self.unconfirmed.contains(&step)
    }

    /// The tree version that the step's contract last held on.
    pub(crate) fn tree_version(&self, step: usize) -> Option<u64> {
        let verdict = self.verdicts.iter().find(|(_, judged)| *judged == step);
        verdict.map(|(version, _)| *version)
    }

    /// The steps whose contracts must run again: judged on an earlier tree, or on this one with what others built.
    pub(crate) fn due(&self, tree_version: u64) -> impl Iterator<Item = usize> {
        let stale = self.verdicts.range(..(tree_version, 0));
        let is_current = move |step: &usize| self.verdicts.contains(&(tree_version, *step));
        let unconfirmed = self.unconfirmed.iter().copied().filter(is_current);
        stale.map(|&(_, step)| step).chain(unconfirmed)
    }
}
