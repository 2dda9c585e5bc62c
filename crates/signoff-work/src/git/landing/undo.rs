//! Takes back what landed file by file.
//!
//! There is always a way forward: a file that was changed since is merged, or left alone and named, and the others
//! become what they were.

use std::collections::BTreeSet;

use crate::git::checkout::paths::CheckoutPaths;
use crate::git::landing::report::{LandedFiles, UnlandReport, held_files};
use crate::git::merge::trees::{TreeMerge, overlap};
use crate::git::names::{Name, path_texts};
use crate::git::{GitError, HarnessGit, Id};

impl HarnessGit {
    /// Takes landings back, the last first: what still is as it landed becomes what it was; what was changed since is
    /// merged, or left alone and named.
    pub fn unland_files(
        &self,
        landings: &[LandedFiles],
        first: &Id,
        at: &dyn Fn(&'static str),
    ) -> Result<UnlandReport, GitError> {
        let Some(last) = landings.last() else {
            return Ok(UnlandReport::default());
        };
        let mut names = BTreeSet::new();
        for landing in landings {
            names.extend(self.touched_paths(&landing.from, &landing.to)?);
        }
        let joined = self.join_landings(landings)?;
        let merge = |present: &CheckoutPaths| self.merge_back(&joined, &present.tree);
        let outcome = self.update_files(&names, (&last.to, first), &merge, &|_| None, at)?;
        let now = outcome.tree.as_ref().unwrap_or(&last.to);
        let gone: BTreeSet<Name> = self
            .differences_among(&last.to, now, &outcome.written)?
            .into_iter()
            .filter(|found| found.after.is_none())
            .map(|found| found.name)
            .collect();
        let left = self.restricted_to(landings, &outcome.held.keys().cloned().collect())?;
        let (deleted, changed): (BTreeSet<Name>, BTreeSet<Name>) = outcome
            .written
            .into_iter()
            .partition(|name| gone.contains(name));
        Ok(UnlandReport {
            restored: path_texts(changed.difference(&outcome.merged)),
            deleted: path_texts(&deleted),
            merged: path_texts(&outcome.merged),
            held: held_files(outcome.held),
            left,
        })
    }

    /// The same landings, of these paths alone.
    fn restricted_to(
        &self,
        landings: &[LandedFiles],
        names: &BTreeSet<Name>,
    ) -> Result<Vec<LandedFiles>, GitError> {
        let mut left = Vec::new();
        if names.is_empty() {
            return Ok(left);
        }
        for LandedFiles { from, to } in landings {
            let (from, to) = (from.clone(), self.with_paths(from, to, names)?);
            if from != to {
                left.push(LandedFiles { from, to });
            }
        }
        Ok(left)
    }

    /// The same landings, with a file that several of them changed in one of them, unless a person changed it in between:
    /// what was changed afterwards has to go together with all of them at once.
    fn join_landings(&self, landings: &[LandedFiles]) -> Result<Vec<LandedFiles>, GitError> {
        let mut joined: Vec<LandedFiles> = Vec::new();
        for landing in landings {
            let mut landing = landing.clone();
            if let Some(last) = joined.last_mut() {
                let mut names = self.touched_paths(&last.from, &last.to)?;
                let persons = self.touched_paths(&last.to, &landing.from)?;
                // A file and a directory in its place belong together.
                names.retain(|name| !persons.iter().any(|other| overlap(name, other)));
                landing.from = self.with_paths(&landing.from, &last.from, &names)?;
                last.to = self.with_paths(&last.to, &last.from, &names)?;
            }
            joined.push(landing);
        }
        Ok(joined)
    }

    /// The checkout without what these landings changed.
    fn merge_back(&self, landings: &[LandedFiles], present: &Id) -> Result<TreeMerge, GitError> {
        let mut all = TreeMerge {
            tree: present.clone(),
            deleted: BTreeSet::new(),
            taken: BTreeSet::new(),
            merged: BTreeSet::new(),
            conflicts: BTreeSet::new(),
        };
        for landing in landings.iter().rev() {
            let merge = self.merge_trees(&landing.to, &all.tree, &landing.from)?;
            all.tree = merge.tree;
            all.taken.extend(merge.taken);
            all.deleted.extend(merge.deleted);
            all.merged.extend(merge.merged);
            all.conflicts.extend(merge.conflicts);
        }
        // A file from which only some of the landings can be taken is left as it is.
        all.tree = self.with_paths(&all.tree, present, &all.conflicts)?;
        for set in [&mut all.taken, &mut all.deleted, &mut all.merged] {
            set.retain(|name| !all.conflicts.contains(name));
        }
        Ok(all)
    }
}
