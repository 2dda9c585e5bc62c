//! The index of plans: what `list` found last time, so that it reads only what changed since.
//!
//! A cache of this machine. It can be deleted at any time, and nothing but a list is ever taken
//! from it: whoever does something to a plan reads the plan. One that is damaged, or was written by
//! another version or under other settings, is an empty one.

mod folder;
mod row;
mod stamp;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

pub use self::folder::{Folder, Folders};
pub use self::row::{IndexEntry, PlanCounts, PlanRow};
pub use self::stamp::{Stamp, StampHash};
use crate::files::atomic::{self, FileMode};
use crate::files::hash::sha256_hex;
use crate::files::{FileError, failpoint};
use crate::root::Store;

const SCHEMA: &str = "signoff.index/3";

/// Far more than a million plans need.
const LARGEST: u64 = 1024 * 1024 * 1024;

/// What was found, by place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index {
    settings: String,
    /// By place: `plans/NAME`, `archive/NAME` or `log/NAME`, in the order of these names.
    pub entries: BTreeMap<String, IndexEntry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct IndexFile<Entries> {
    schema: String,
    settings: String,
    entries: Entries,
}

impl Index {
    /// The digest of everything besides files that decides what is found.
    pub fn digest_of(settings: &str) -> String {
        sha256_hex(settings.as_bytes())
    }

    /// One that knows nothing. `settings` is [the digest](Self::digest_of) of the settings in force.
    pub fn empty(settings: &str) -> Self {
        Self {
            settings: settings.to_owned(),
            entries: BTreeMap::new(),
        }
    }

    /// What was found last time under these settings; nothing, if that cannot be told.
    pub fn load(store: &Store, settings: &str) -> Self {
        let mut index = Self::empty(settings);
        if let Some(file) = read(store)
            && file.schema == SCHEMA
            && file.settings == index.settings
        {
            index.entries = file.entries;
        }
        index
    }

    /// Keeps it for the next time. Whole or not at all, but not synced: one that a power failure
    /// damaged is made anew.
    pub fn save(&self, store: &Store) -> Result<(), FileError> {
        let path = store.index_path();
        let file = IndexFile {
            schema: SCHEMA.to_owned(),
            settings: self.settings.clone(),
            entries: &self.entries,
        };
        let bytes = serde_json::to_vec(&file)
            .map_err(|error| FileError::at("write", &path)(error.into()))?;
        failpoint::reach("index.before");
        atomic::overwrite_unsynced(&path, &bytes, FileMode::Private)
    }
}

/// The last list, kept in memory by a process that lists repeatedly. Its entries are checked like those of the file:
/// each is compared with the files that it was made from.
#[derive(Debug, Default)]
pub struct KeptIndex(Mutex<KeptEntries>);

/// Entries by place. It is the same allocation for as long as nothing in it changes.
pub type KeptEntries = Arc<BTreeMap<String, IndexEntry>>;

impl KeptIndex {
    /// What was kept last.
    pub fn entries(&self) -> KeptEntries {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn keep_entries(&self, entries: BTreeMap<String, IndexEntry>) -> KeptEntries {
        let entries = Arc::new(entries);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&entries);
        entries
    }
}

fn read(store: &Store) -> Option<IndexFile<BTreeMap<String, IndexEntry>>> {
    let mut bytes = Vec::new();
    let file = File::open(store.index_path()).ok()?;
    file.take(LARGEST).read_to_end(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn store() -> (tempfile::TempDir, Store) {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        (dir, store)
    }

    fn full() -> Index {
        let mut index = Index::empty("a");
        let entry = IndexEntry {
            seen: StampHash::of(&[Stamp::of(std::path::Path::new("/")), None], None),
            again: true,
            path: Some("docs/plan.md".to_owned()),
            row: Some(PlanRow {
                key: "PLAN-1".to_owned(),
                title: "\u{1b}[31m ü".to_owned(),
                state: "verified".to_owned(),
                tools: vec!["odoo".to_owned()],
                ..PlanRow::default()
            }),
            tally: PlanCounts {
                proposals: 2,
                waits: vec![1500],
                ..PlanCounts::default()
            },
        };
        index.entries.insert("plans/x.md".to_owned(), entry);
        index
    }

    #[test]
    fn what_was_saved_is_loaded_under_the_same_settings_only() {
        let (_dir, store) = store();
        assert_eq!(Index::load(&store, "a"), Index::empty("a"));
        full().save(&store).unwrap();
        assert_eq!(Index::load(&store, "a"), full());
        assert_eq!(Index::load(&store, "b"), Index::empty("b"));
    }

    #[test]
    fn a_damaged_or_foreign_index_is_an_empty_one() {
        let (_dir, store) = store();
        full().save(&store).unwrap();
        let good = fs::read_to_string(store.index_path()).unwrap();
        for bad in [
            String::new(),
            "\0".repeat(good.len()),
            good[..good.len() / 2].to_owned(),
            good.replace(SCHEMA, "signoff.index/1"),
            good.replace("\"entries\"", "\"extra\":1,\"entries\""),
            good.replace("\"again\":true", "\"again\":7"),
        ] {
            assert_ne!(bad, good);
            fs::write(store.index_path(), &bad).unwrap();
            assert_eq!(Index::load(&store, "a"), Index::empty("a"), "{bad}");
        }
    }

    #[test]
    fn many_writers_at_once_leave_one_whole_index() {
        let (_dir, store) = store();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..20 {
                        full().save(&store).unwrap();
                        assert_eq!(Index::load(&store, "a"), full());
                    }
                });
            }
        });
        let left: Vec<_> = fs::read_dir(store.dir())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name.to_string_lossy().contains("tmp"))
            .collect();
        assert!(left.is_empty(), "{left:?}");
    }
}
