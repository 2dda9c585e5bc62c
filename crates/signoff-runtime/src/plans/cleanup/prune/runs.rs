//! Runs of plans that are gone.

use std::collections::BTreeSet;
use std::path::Path;

use signoff_api::pruned::RemovedKind;
use signoff_engine::Run;
use signoff_store::index::Stamp;
use signoff_store::lock::is_held;
use signoff_store::runs::{RunDir, RunEntry, is_run_id, list, retired_directories};

use super::tree::{remove, size};
use super::{IndexedPlans, KeptReason, Pruning};
use crate::error::Error;
use crate::plan_history::names_newest_run;
use crate::project::locks::take_start;
use crate::runs::lost_attempts;
use crate::runs::view::RunView;
use crate::trees::RunLeftovers;

impl Pruning<'_> {
    /// Finished runs, and runs that never began, of plans that are gone.
    pub(super) fn prune_runs(&mut self, indexed: &IndexedPlans) -> Result<(), Error> {
        let known: BTreeSet<&str> = indexed
            .rows()
            .map(|(_, row, _)| row.key.as_str())
            .filter(|key| !self.gone.contains(*key))
            .collect();
        // A run that is being made has no lock yet, and looks like one that never began.
        let _starting = take_start(self.context.project)?;
        for gone in retired_directories(&self.context.project.store)? {
            if !self.options.dry_run {
                remove(&gone)?;
            }
        }
        for run in list(&self.context.project.store)? {
            self.prune_run(&run, &known);
        }
        Ok(())
    }

    fn prune_run(&mut self, run: &RunEntry, known: &BTreeSet<&str>) {
        let path = run.dir.path();
        if is_held(&run.dir.lock()).unwrap_or(true) {
            return;
        }
        match RunView::load(self.context.project, &run.id) {
            Ok(view) => self.prune_begun_run(run, &view, known),
            Err(Error::NeverBegun { .. }) => {
                let key = std::fs::read_to_string(run.dir.starting_marker()).unwrap_or_default();
                let is_needed = names_newest_run(self.context.project, &key, &run.id);
                if !is_needed && self.is_old(written_at(path)) && self.remove_leftovers_of(&run.id)
                {
                    self.remove_run(&run.dir, &run.id);
                }
            }
            Err(error) => {
                if self.is_old(written_at(path)) {
                    self.note_kept(path, KeptReason::Error(error));
                }
            }
        }
    }

    /// Deletes a run that a person named because it cannot be read, or because only what it left is there.
    pub(super) fn prune_damaged_run(&mut self, run: &str, force: bool) -> Result<(), Error> {
        let project = self.context.project;
        let dir = project.store.run_dir(run);
        let path = dir.path();
        let whole = RunView::load(project, run)
            .and_then(|view| lost_attempts::refuse_if_lost(project, &dir, &view.run));
        match whole {
            _ if is_held(&dir.lock()).unwrap_or(true) => self.note_kept(path, KeptReason::Driven),
            Ok(()) => self.note_kept(path, KeptReason::Readable),
            Err(error @ Error::NoSuchRun { .. }) => {
                let found = self.remains.of_run(run)?;
                if !is_run_id(run) || found == RunLeftovers::default() {
                    return Err(error);
                }
                self.remove_lost_run(run, found, force);
            }
            Err(_) => {
                let found = self.remains.of_run(run)?;
                if self.remove_lost_run(run, found, force)
                    && self.remove_leftovers_of(run)
                    && self.remove_shared_run(run)
                {
                    // The directory last: while it is there, its name finds the rest.
                    self.remove_run(&dir, run);
                }
            }
        }
        Ok(())
    }

    fn prune_begun_run(&mut self, run: &RunEntry, view: &RunView, known: &BTreeSet<&str>) {
        let path = run.dir.path();
        let there = known.contains(view.key.as_str())
            || (view.plan_path.exists() && !self.gone.contains(&view.key));
        if there || !self.is_old(view.last) {
            if view.run.in_worktrees() && is_settled(&view.run) {
                // The landing or the undo was cut off.
                self.remove_leftovers_of(&run.id);
            }
            self.needed.insert(view.key.clone());
            return;
        }
        if view.run.outcome().is_none() && !view.over {
            self.note_kept(path, KeptReason::Unfinished);
        } else if view.run.has_not_landed() {
            self.note_kept(path, KeptReason::NotLanded(run.id.clone()));
        } else if self.remove_leftovers_of(&run.id) && self.remove_shared_run(&run.id) {
            // The directory last: while it is there, the next prune finds the rest.
            return self.remove_run(&run.dir, &run.id);
        }
        self.needed.insert(view.key.clone());
    }
}

impl Pruning<'_> {
    /// Deletes the directory of a run, first its name: half of a run looks like a damaged one.
    fn remove_run(&mut self, dir: &RunDir, run: &str) {
        let bytes = size(dir.path());
        let removed = if self.options.dry_run {
            Ok(())
        } else {
            let gone = dir.take_name_away().map_err(Error::from);
            gone.and_then(|gone| remove(&gone))
        };
        match removed {
            Ok(()) => self.note_removed(RemovedKind::Run, run, dir.path().to_owned(), bytes),
            Err(error) => self.note_kept(dir.path(), KeptReason::Error(error)),
        }
    }
}

fn is_settled(run: &Run) -> bool {
    // What `undo` needs of files that landed stays.
    (run.landed_commit().is_some() && !run.lands_files()) || run.is_undone()
}

fn written_at(path: &Path) -> u64 {
    Stamp::of(path).map_or(0, |stamp| stamp.modified_at())
}
