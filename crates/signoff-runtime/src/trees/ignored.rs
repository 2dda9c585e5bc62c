//! What attempts change in ignored directories: not part of their work, but kept for later attempts. No contract sees it,
//! unless `[contract] ignored = "attempt"` says so.

use std::path::{Path, PathBuf};
use std::{fs, io};

use signoff_store::key;

use super::{Trees, WorkContext, lock};

/// Layers of ignored files that are kept for later work: an overlay has room for twelve layers.
const MOST_IGNORED: usize = 6;

/// In the layer of an attempt: the layers of ignored files that it found.
const FOUND: &str = "found";

/// Which ignored files of attempts a contract finds.
#[derive(Debug, Clone)]
pub(crate) enum IgnoredWork {
    /// What all attempts so far left, as the next one would find it.
    Newest,
    /// What this attempt left, on top of what it found.
    LeftBy(String, u32),
    /// What this attempt found.
    FoundBy(String, u32),
}

impl Trees {
    /// Explains why a contract may miss a file.
    fn note_ignored(&self, work: &WorkContext, roots: &[Vec<u8>]) {
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

    /// Names the ignored files that an attempt changed, if any: no contract sees them.
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
            "the attempt changed {}{more}, which is not versioned: let the contract or `[run] prepare` make it (or set `[contract] ignored = \"attempt\"`, and nothing is `proved`)",
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

    /// The layers that an attempt found, by what it remembers in its own.
    pub(super) fn found_layers(&self, layer: &Path) -> Vec<PathBuf> {
        let found = fs::read_to_string(layer.join(FOUND)).unwrap_or_default();
        self.named_layers(found.lines())
    }

    fn named_layers<'n>(&self, numbers: impl Iterator<Item = &'n str>) -> Vec<PathBuf> {
        let folder = self.layer_root().join("ignored");
        numbers
            .filter(|number| !number.is_empty())
            .map(|number| folder.join(number))
            .filter(|layer| layer.is_dir())
            .take(MOST_IGNORED)
            .collect()
    }

    /// The layers that a contract finds.
    pub(super) fn layers_of(&self, wanted: &IgnoredWork) -> Vec<PathBuf> {
        let (step, attempt, skipped) = match wanted {
            IgnoredWork::Newest => return self.ignored_layers(),
            IgnoredWork::LeftBy(step, attempt) => (step, *attempt, 0),
            IgnoredWork::FoundBy(step, attempt) => (step, *attempt, 1),
        };
        let Ok(known) = fs::read_to_string(self.ignored_layers_file(step, attempt)) else {
            // There is no layer: a tool was called, or a person repaired it.
            return self.ignored_layers();
        };
        self.named_layers(known.split('\n').skip(skipped))
    }

    /// Keeps what an attempt changed in ignored directories, and records all layers that it left there.
    pub(super) fn settle_ignored(&self, work: &WorkContext, layer: &Path, roots: &[Vec<u8>]) {
        self.note_ignored(work, roots);
        let own = self.keep_ignored(&layer.join("upper"), roots);
        let own = own.map_or_else(String::new, |number| number.to_string());
        if let Ok(found) = fs::read_to_string(layer.join(FOUND)) {
            let file = self.ignored_layers_file(&work.step, work.attempt);
            // Without it a contract finds what all attempts left.
            fs::write(file, format!("{own}\n{found}")).ok();
        }
    }

    /// Its own layer first, or an empty line; then those that it found.
    fn ignored_layers_file(&self, step: &str, attempt: u32) -> PathBuf {
        self.indexes
            .join(format!("ignored-layers-{}-{attempt}", key::encode(step)))
    }

    /// Keeps what work changed in ignored directories for later work; the number of the layer, if there is one.
    fn keep_ignored(&self, upper: &Path, roots: &[Vec<u8>]) -> Option<u64> {
        use std::os::unix::ffi::OsStrExt as _;
        if roots.is_empty() {
            return None;
        }
        let _one_at_a_time = lock(&self.masks);
        let folder = self.layer_root().join("ignored");
        let newest = self.ignored_layers().into_iter().next();
        let newest = newest.and_then(|path| path.file_name()?.to_str()?.parse::<u64>().ok());
        let number = newest.unwrap_or(0) + 1;
        let layer = folder.join(number.to_string());
        for root in roots {
            let root = Path::new(std::ffi::OsStr::from_bytes(root));
            let to = layer.join(root);
            // Later work makes again what could not be kept.
            let made = to
                .parent()
                .is_some_and(|above| fs::create_dir_all(above).is_ok());
            if made {
                fs::rename(upper.join(root), to).ok();
            }
        }
        Some(number)
    }
}

/// Remembers in the layer of an attempt which layers of ignored files it found.
pub(super) fn note_found(layer: &Path, found: &[PathBuf]) -> io::Result<()> {
    let names = found.iter().filter_map(|path| path.file_name()?.to_str());
    let names: Vec<&str> = names.collect();
    fs::write(layer.join(FOUND), names.join("\n"))
}
