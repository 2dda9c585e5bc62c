//! What attempts change in ignored directories: no work, but kept for later work of the run.

use std::fs;
use std::path::{Path, PathBuf};

use signoff_store::key;

use super::{Trees, WorkContext, locked};

/// Layers of ignored files that are kept for later work: an overlay has room for twelve layers.
const MOST_IGNORED: usize = 6;

impl Trees {
    /// Whoever misses something in a contract should know why.
    pub(super) fn note_ignored(&self, work: &WorkContext, roots: &[Vec<u8>]) {
        let names: Vec<_> = roots
            .iter()
            .map(|root| String::from_utf8_lossy(root))
            .collect();
        if !names.is_empty() {
            fs::write(
                self.ignored_file(&work.step, work.attempt),
                names.join("\n"),
            )
            .ok();
        }
    }

    fn ignored_file(&self, step: &str, attempt: u32) -> PathBuf {
        self.indexes
            .join(format!("ignored-{}-{attempt}", key::encode(step)))
    }

    /// Says which ignored files an attempt changed, if any: no contract sees them.
    pub(crate) fn ignored_work(&self, step: &str, attempt: u32) -> Option<String> {
        const SHOWN: usize = 5;
        let text = fs::read_to_string(self.ignored_file(step, attempt)).ok()?;
        let mut names: Vec<String> = text.lines().map(|name| format!("`{name}`")).collect();
        let more = names.len().saturating_sub(SHOWN);
        names.truncate(SHOWN);
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        Some(format!(
            "the attempt changed {}{more}, which is not versioned: let the contract or `[run] prepare` make it",
            names.join(", ")
        ))
    }

    /// Layers of ignored files that attempts left, the newest first.
    pub(super) fn ignored_layers(&self) -> Vec<PathBuf> {
        let folder = self.layer_root().join("ignored");
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u64>().ok();
        let mut layers: Vec<(u64, PathBuf)> = entries
            .filter_map(|entry| Some((number(&entry.path())?, entry.path())))
            .collect();
        layers.sort_unstable_by(|a, b| b.cmp(a));
        layers
            .into_iter()
            .map(|(_, path)| path)
            .take(MOST_IGNORED)
            .collect()
    }

    /// Keeps what work changed in ignored directories for later work. No contract ever sees it.
    pub(super) fn keep_ignored(&self, upper: &Path, roots: &[Vec<u8>]) {
        use std::os::unix::ffi::OsStrExt as _;
        if roots.is_empty() {
            return;
        }
        let _one_at_a_time = locked(&self.masks);
        let folder = self.layer_root().join("ignored");
        let newest = self.ignored_layers().into_iter().next();
        let newest = newest.and_then(|path| path.file_name()?.to_str()?.parse::<u64>().ok());
        let layer = folder.join((newest.unwrap_or(0) + 1).to_string());
        for root in roots {
            let root = Path::new(std::ffi::OsStr::from_bytes(root));
            let to = layer.join(root);
            // What cannot be kept is missed by later work, which makes it again.
            let made = to
                .parent()
                .is_some_and(|above| fs::create_dir_all(above).is_ok());
            if made {
                fs::rename(upper.join(root), to).ok();
            }
        }
    }
}
