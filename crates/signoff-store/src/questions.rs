//! The log of questions that no run asks: appended and chained like a run's journal.
//!
//! It lies beside the runs: what agents ask and people answer stays on this machine, as the inboxes of runs do.

use std::path::PathBuf;

use serde_json::{Map, Value};

use crate::files::FileError;
use crate::files::lock::PlanLock;
use crate::journal::{self, Journal, JournalError, Record};
use crate::root::Store;

/// Waits until nobody else writes the log.
pub fn lock(store: &Store) -> Result<PlanLock, FileError> {
    store.create_missing()?;
    let path = store.locks_dir().join("questions");
    PlanLock::acquire_waiting(&path).map_err(FileError::at("lock", &path))
}

/// Everything that was asked and answered, oldest first.
pub fn read(store: &Store) -> Result<Vec<Record>, JournalError> {
    let path = log_path(store);
    if path.symlink_metadata().is_err() {
        journal::refuse_if_lost(&path)?;
        return Ok(Vec::new());
    }
    journal::load(&path)
}

/// Appends, synced: what was acknowledged is not lost.
pub fn append(
    store: &Store,
    _held: &PlanLock,
    at: &str,
    event: Map<String, Value>,
) -> Result<(), JournalError> {
    let path = log_path(store);
    let mut journal = if path.symlink_metadata().is_ok() {
        Journal::open(&path)?.0
    } else {
        Journal::create(&path)?
    };
    journal.append(at, &[event])?;
    journal.sync()?;
    journal.write_head()
}

fn log_path(store: &Store) -> PathBuf {
    store.runs_dir().join("questions.jsonl")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const AT: &str = "2026-11-15T09:30:12.345Z";

    fn event(text: &str) -> Map<String, Value> {
        json!({"type": text}).as_object().unwrap().clone()
    }

    #[test]
    fn what_was_appended_is_read_and_a_change_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        assert_eq!(read(&store).unwrap(), []);
        let held = lock(&store).unwrap();
        for text in ["asked", "answered"] {
            append(&store, &held, AT, event(text)).unwrap();
        }
        let kinds = read(&store).unwrap();
        let kinds: Vec<_> = kinds
            .iter()
            .map(|record| record.body["type"].clone())
            .collect();
        assert_eq!(kinds, ["asked", "answered"]);
        let path = log_path(&store);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, whole.replace("asked", "asken")).unwrap();
        assert!(read(&store).is_err());
        assert!(append(&store, &held, AT, event("more")).is_err());
        std::fs::remove_file(&path).unwrap();
        assert!(read(&store).is_err(), "a log that was there is missed");
    }
}
