//! Artifacts of plans that were never completed or were deleted.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::Path;

use signoff_api::pruned::RemovedKind;
use signoff_engine::Millis;
use signoff_store::index::Stamp;

use super::{IndexedPlans, Pruning, tree};
use crate::error::Error;

/// A proposal gets its artifacts a moment before its file, so young artifacts stay.
const UNDER_WAY: Millis = 60 * 1000;

impl Pruning<'_> {
    /// What a proposer that was killed, or a plan that was deleted, left. `unread` are the names of
    /// what could not be read: its artifacts are unknown.
    pub(super) fn prune_artifacts(
        &mut self,
        indexed: &IndexedPlans,
        unread: &BTreeSet<OsString>,
    ) -> Result<(), Error> {
        let store = &self.context.project.store;
        // Plans that are deleted now are still in the index, and their artifacts were reported with them.
        let logs = indexed.rows().map(|(_, row, _)| store.log_path(&row.key));
        let known: BTreeSet<OsString> = logs
            .filter_map(|log| log.file_stem().map(ToOwned::to_owned))
            .collect();
        let any = store.artifacts_dir("any");
        let Some(root) = any.parent() else {
            return Ok(());
        };
        for path in tree::files(root)? {
            let name = path
                .file_name()
                .expect("an entry of a directory")
                .to_owned();
            let log = store.logs_dir().join(&name).with_added_extension("jsonl");
            let logged = log.symlink_metadata().is_ok() && !self.is_gone(&log);
            let nobodys = !known.contains(&name) && !unread.contains(&name) && !logged;
            if nobodys && is_ours(&path) && self.is_left(&path) {
                self.remove(RemovedKind::Artifacts, &name.to_string_lossy(), &path);
            }
        }
        Ok(())
    }

    fn is_left(&self, path: &Path) -> bool {
        let written = Stamp::of(path).map_or(Millis::MAX, |stamp| stamp.modified_at());
        let age = self.context.clock.now().saturating_sub(written);
        age > UNDER_WAY && self.is_old(written)
    }
}

/// A directory with nothing in it but what `propose` writes there.
fn is_ours(path: &Path) -> bool {
    let is_directory = path.symlink_metadata().is_ok_and(|found| found.is_dir());
    is_directory
        && tree::files(path).is_ok_and(|files| {
            files.iter().all(|file| {
                let name = file
                    .file_name()
                    .expect("an entry of a directory")
                    .to_string_lossy();
                name == "context.md" || name.starts_with(".context.md.")
            })
        })
}
