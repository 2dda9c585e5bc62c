//! Brings what a run made into the checkout file by file, and takes it back.
//!
//! Each file comes by itself: a file that a person changed is merged, or left alone and named, and the others arrive
//! all the same. Nothing has to be kept for that: after a crash, doing it again with the same trees completes it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::SystemTime;

use crate::git::checkout::paths::{CheckoutPaths, copy_index_if_exists};
use crate::git::entries::Difference;
use crate::git::files::file_writer::FileWriter;
use crate::git::landing::report::{LandReport, LandedFiles, held_files};
use crate::git::merge::trees::TreeMerge;
use crate::git::names::{Name, path_texts, text};
use crate::git::{GitError, HarnessGit, HoldReason, Id};

/// How often a file is tried that changes at the same moment.
const TRIES: usize = 2;

/// What was done at some paths.
#[derive(Debug, Default)]
pub(crate) struct FilesOutcome {
    pub(crate) written: BTreeSet<Name>,
    pub(crate) merged: BTreeSet<Name>,
    pub(crate) held: BTreeMap<Name, HoldReason>,
    /// What the checkout holds now, merged paths included.
    pub(crate) tree: Option<Id>,
}

impl HarnessGit {
    /// Brings what differs between `base` and `head` into the checkout. Where it still is as in `base`, `head`'s content is
    /// written; where a person changed the same file, it is merged; what conflicts is left alone and named.
    ///
    /// `first` is the tree that the run began with. `at` is called before each change of a file (`land.file`), and before
    /// a written file takes its place (`land.rename`).
    pub fn land_files(
        &self,
        base: &Id,
        head: &Id,
        first: &Id,
        at: &dyn Fn(&'static str),
    ) -> Result<LandReport, GitError> {
        self.land_files_but(base, head, first, &|_| None, at)
    }

    /// The same, but for the files for which `hold` has a reason.
    pub fn land_files_but(
        &self,
        base: &Id,
        head: &Id,
        first: &Id,
        hold: &dyn Fn(&str) -> Option<HoldReason>,
        at: &dyn Fn(&'static str),
    ) -> Result<LandReport, GitError> {
        let names = self.touched_paths(base, head)?;
        let merge = |present: &CheckoutPaths| self.merge_trees(base, &present.tree, head);
        let outcome = self.update_files(&names, (base, first), &merge, hold, at)?;
        let FilesOutcome {
            written,
            merged,
            held,
            ..
        } = outcome;
        let landed: BTreeSet<Name> = names
            .into_iter()
            .filter(|name| !held.contains_key(name))
            .collect();
        // What was merged there has `head`'s part; the person's is still to join the run.
        let to = self.with_paths(base, head, &landed)?;
        // Where that fails, the next snapshot finds what was written.
        self.renew_snapshot(base, &to, &landed).ok();
        Ok(LandReport {
            base: to.clone(),
            landed: LandedFiles {
                from: self.tree_of(base)?,
                to,
            },
            written: path_texts(&written),
            merged: path_texts(&merged),
            held: held_files(held),
        })
    }

    /// Makes the checkout at these paths what `merge` makes of it. A file that changes meanwhile is tried once more.
    pub(crate) fn update_files(
        &self,
        names: &BTreeSet<Name>,
        (base, first): (&Id, &Id),
        merge: &dyn Fn(&CheckoutPaths) -> Result<TreeMerge, GitError>,
        hold: &dyn Fn(&str) -> Option<HoldReason>,
        at: &dyn Fn(&'static str),
    ) -> Result<FilesOutcome, GitError> {
        let mut outcome = FilesOutcome::default();
        let mut left = names.clone();
        if !left.is_empty() {
            FileWriter::open(self.repository.top())?.remove_temporary(names);
        }
        for attempt in 1..=TRIES {
            if left.is_empty() {
                break;
            }
            let present = self.checkout_paths(&left, base, first)?;
            let merge = merge(&present)?;
            let mut round = self.bring_once(&left, &present, &merge, hold, at)?;
            let changing: BTreeSet<Name> = round
                .held
                .iter()
                .filter(|(_, reason)| **reason == HoldReason::Changing)
                .map(|(name, _)| name.clone())
                .collect();
            if attempt < TRIES {
                round.held.retain(|name, _| !changing.contains(name));
            }
            let done: BTreeSet<Name> = left.difference(&changing).cloned().collect();
            let before = outcome.tree.as_ref().unwrap_or(&merge.tree);
            outcome.tree = Some(self.with_paths(before, &merge.tree, &done)?);
            outcome.written.extend(round.written);
            outcome.merged.extend(round.merged);
            outcome.held.extend(round.held);
            left = changing;
        }
        Ok(outcome)
    }

    fn bring_once(
        &self,
        names: &BTreeSet<Name>,
        present: &CheckoutPaths,
        merge: &TreeMerge,
        hold: &dyn Fn(&str) -> Option<HoldReason>,
        at: &dyn Fn(&'static str),
    ) -> Result<FilesOutcome, GitError> {
        let mut held = present.held.clone();
        for name in merge.conflicts.intersection(names) {
            let reason = if present.ignored.contains(name) {
                HoldReason::Ignored
            } else {
                HoldReason::Conflict
            };
            held.entry(name.clone()).or_insert(reason);
        }
        let mut changes = self.differences_among(&present.tree, &merge.tree, names)?;
        changes.retain(|change| !held.contains_key(&change.name));
        for change in &changes {
            let reason = hold(&text(&change.name));
            held.extend(reason.map(|reason| (change.name.clone(), reason)));
        }
        changes.retain(|change| !held.contains_key(&change.name));
        let changing: Vec<Name> = changes.iter().map(|change| change.name.clone()).collect();
        for (name, filter) in self.repository.filters_of(&changing, Some(&merge.tree))? {
            held.insert(name, HoldReason::Filter(filter));
        }
        changes.retain(|change| !held.contains_key(&change.name));
        let staged = self.stage_changes(present, &changes)?;
        let begun = SystemTime::now();
        let writer = FileWriter::open(self.repository.top())?;
        let mut written = BTreeSet::new();
        // What goes makes room for what comes.
        let (come, gone): (Vec<_>, Vec<_>) = changes
            .into_iter()
            .partition(|change| change.after.is_some());
        for Difference { name, after, .. } in gone.into_iter().chain(come) {
            at("land.file");
            let state = present.file_states.get(&name).cloned().flatten();
            let result = match after {
                Some(_) => writer.put(&staged, &name, state.as_ref(), at),
                None => writer.remove(&name, state.as_ref(), at),
            };
            match result {
                Ok(()) => drop(written.insert(name)),
                Err(reason) => drop(held.insert(name, reason)),
            }
        }
        self.sync_names(&written, begun)?;
        let there = |name: &&Name| names.contains(*name) && !held.contains_key(*name);
        Ok(FilesOutcome {
            merged: merge.merged.iter().filter(there).cloned().collect(),
            written,
            held,
            tree: None,
        })
    }

    /// Writes what comes into a directory of its own, with the attributes that hold when all is done.
    fn stage_changes(
        &self,
        present: &CheckoutPaths,
        changes: &[Difference],
    ) -> Result<PathBuf, GitError> {
        let index = present.scratch.path("next");
        let folder = present.scratch.folder("files")?;
        copy_index_if_exists(&present.scratch.path("index"), &index)?;
        let entries: Vec<_> = changes
            .iter()
            .map(|change| (change.name.clone(), change.after.clone()))
            .collect();
        self.set_entries(&index, &entries)?;
        let come = changes.iter().filter(|change| change.after.is_some());
        let come: Vec<&Name> = come.map(|change| &change.name).collect();
        self.write_files(&index, &folder, come.iter().copied())?;
        self.sync_files(&folder, come)?;
        Ok(folder)
    }
}
