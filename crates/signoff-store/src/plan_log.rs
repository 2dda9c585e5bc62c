//! The log of a plan: what happened to it, appended and chained like a run's journal.
//!
//! Committed with the project, so it holds no outputs and no secrets. Whoever appends holds the
//! plan's lock.

use std::path::PathBuf;
use std::{fs, io};

use serde_json::{Map, Value};

use crate::journal::{self, Journal, JournalError, Record};
use crate::lock::PlanLock;
use crate::root::Store;
use crate::{FileError, atomic, key};

/// Waits until nobody else does anything to this plan, and keeps others waiting.
pub fn lock(store: &Store, plan: &str) -> Result<PlanLock, FileError> {
    store.complete_for(plan)?;
    let path = store.locks_dir().join("plans").join(key::encode(plan));
    PlanLock::acquire_waiting(&path).map_err(FileError::at("lock", &path))
}

/// Everything that happened to a plan, oldest first; nothing for one that nobody ever touched.
pub fn read(store: &Store, plan: &str) -> Result<Vec<Record>, JournalError> {
    let path = store.log_path(plan);
    if path.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    journal::load(&path)
}

/// Appends, synced: what was acknowledged is not lost.
pub fn append(
    store: &Store,
    plan: &str,
    _held: &PlanLock,
    at: &str,
    events: &[Map<String, Value>],
) -> Result<Vec<Record>, JournalError> {
    let path = store.log_path(plan);
    let mut journal = if path.symlink_metadata().is_ok() {
        Journal::open(&path)?.0
    } else {
        if let Some(directory) = path.parent() {
            atomic::create_directories(directory)?;
        }
        Journal::create(&path)?
    };
    let records = journal.append(at, events)?;
    journal.sync()?;
    Ok(records)
}

/// The log files there are. Their names are keys, encoded.
pub fn all(store: &Store) -> Result<Vec<PathBuf>, FileError> {
    let directory = store.logs_dir();
    let entries = match fs::read_dir(&directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(FileError::at("read", &directory))?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry.map_err(FileError::at("read", &directory))?.path();
        if path
            .extension()
            .is_some_and(|extension| extension == "jsonl")
        {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(kind: &str) -> Map<String, Value> {
        json!({"type": kind}).as_object().unwrap().clone()
    }

    #[test]
    fn what_was_appended_is_read_and_no_key_leads_out() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let at = "2026-11-15T09:30:12.345Z";
        for plan in ["PLAN-1", "../../x", "plans/a.md", "", "ü/..", "/etc/passwd"] {
            assert_eq!(read(&store, plan).unwrap(), []);
            let held = lock(&store, plan).unwrap();
            append(&store, plan, &held, at, &[event("plan_proposed")]).unwrap();
            append(&store, plan, &held, at, &[event("plan_rejected")]).unwrap();
            let kinds: Vec<_> = read(&store, plan)
                .unwrap()
                .iter()
                .map(|record| record.body["type"].clone())
                .collect();
            assert_eq!(kinds, ["plan_proposed", "plan_rejected"]);
        }
        assert_eq!(all(&store).unwrap().len(), 6);
        let beside: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
        assert_eq!(beside.len(), 1, "{beside:?}");
    }

    #[test]
    fn a_changed_line_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let held = lock(&store, "p").unwrap();
        let at = "2026-11-15T09:30:12.345Z";
        append(&store, "p", &held, at, &[event("plan_rejected")]).unwrap();
        let path = store.log_path("p");
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("rejected", "proposed")).unwrap();
        assert!(read(&store, "p").is_err());
        assert!(append(&store, "p", &held, at, &[event("x")]).is_err());
    }
}
