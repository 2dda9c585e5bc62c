//! Runs of plans that are gone.

use std::collections::BTreeSet;
use std::path::Path;

use signoff_api::pruned::Kind;
use signoff_store::index::Stamp;
use signoff_store::lock::is_held;
use signoff_store::runs::{RunEntry, list};

use super::{Pruning, Shelf, Why};
use crate::error::Error;
use crate::view::View;

impl Pruning<'_> {
    /// Finished runs, and runs that never began, of plans that are gone.
    pub(super) fn runs(&mut self, shelf: &Shelf) -> Result<(), Error> {
        let known: BTreeSet<&str> = shelf
            .rows()
            .map(|(_, row, _)| row.key.as_str())
            .filter(|key| !self.gone.contains(*key))
            .collect();
        for run in list(&self.doing.project.store)? {
            self.run(&run, &known);
        }
        Ok(())
    }

    fn run(&mut self, run: &RunEntry, known: &BTreeSet<&str>) {
        let path = run.dir.path();
        if is_held(&run.dir.lock()).unwrap_or(true) {
            return;
        }
        match View::load(self.doing.project, &run.id) {
            Ok(view) => {
                let there = known.contains(view.key.as_str())
                    || (view.plan_path.exists() && !self.gone.contains(&view.key));
                if there || !self.is_old(view.last) {
                    return;
                }
                match view.run.outcome() {
                    Some(_) => self.remove(Kind::Run, &run.id, path),
                    None => self.keep(path, Why::Unfinished),
                }
            }
            Err(Error::NeverBegun { .. }) => {
                if self.is_old(written(path)) {
                    self.remove(Kind::Run, &run.id, path);
                }
            }
            Err(error) => {
                if self.is_old(written(path)) {
                    self.keep(path, Why::Error(error));
                }
            }
        }
    }
}

fn written(path: &Path) -> u64 {
    Stamp::of(path).map_or(0, |stamp| stamp.written())
}
