//! The log of a plan: what happened to it, appended and chained like a run's journal.
//!
//! Committed with the project, so it holds no outputs and no secrets. Whoever appends holds the
//! plan's lock. Every line names its plan: a log that was put in another's place is refused. How long
//! it had become is kept beside it in `NAME.head.json`, which is there before the log: one that lost its
//! end, or is gone, is refused as well, and so is one without that file.

use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Map, Value};

use crate::files::atomic::ReplaceError;
use crate::files::lock::PlanLock;
use crate::files::{FileError, atomic};
use crate::journal::{self, Journal, JournalError, Record, TornLine};
use crate::key;
use crate::root::Store;

/// The field of a line that names its plan.
const PLAN: &str = "plan";

/// Why a plan's log cannot be read or continued.
#[derive(Debug)]
pub struct PlanLogError(pub JournalError);

impl From<JournalError> for PlanLogError {
    fn from(error: JournalError) -> Self {
        Self(error)
    }
}

impl From<FileError> for PlanLogError {
    fn from(error: FileError) -> Self {
        Self(error.into())
    }
}

/// Waits for the plan's lock and takes it.
pub fn lock(store: &Store, plan: &str) -> Result<PlanLock, FileError> {
    store.complete_for(plan)?;
    let path = store.locks_dir().join("plans").join(key::encode(plan));
    PlanLock::acquire_waiting(&path).map_err(FileError::at("lock", &path))
}

/// Clears away what a writer left that was killed while it recorded the end of the log.
pub fn clear_stray(store: &Store, plan: &str, _held: &PlanLock) -> Result<(), ReplaceError> {
    if store.logs_dir().is_dir() {
        atomic::remove_stray_temp(&head_path(&store.log_path(plan)))?;
    }
    Ok(())
}

/// Everything that happened to a plan, oldest first; empty for a plan without a log.
pub fn read(store: &Store, plan: &str) -> Result<Vec<Record>, PlanLogError> {
    load(&store.log_path(plan))
}

/// The same, for the log at this path: its name says whose it is.
pub fn load(path: &Path) -> Result<Vec<Record>, PlanLogError> {
    if path.symlink_metadata().is_err() {
        journal::refuse_if_lost(path)?;
        return Ok(Vec::new());
    }
    if path.is_symlink() {
        let link = std::io::Error::other("it is a link, which a log never is");
        return Err(JournalError::from(FileError::at("read", path)(link)).into());
    }
    let records = journal::load(path)?;
    about_its_plan(path, &records)?;
    Ok(records)
}

/// Appends, synced: what was acknowledged is not lost.
pub fn append(
    store: &Store,
    plan: &str,
    _held: &PlanLock,
    at: &str,
    events: &[Map<String, Value>],
) -> Result<Vec<Record>, PlanLogError> {
    let path = store.log_path(plan);
    let mut journal = if path.symlink_metadata().is_ok() {
        let (journal, records) = Journal::open(&path)?;
        about_its_plan(&path, &records)?;
        journal
    } else {
        if let Some(directory) = path.parent() {
            atomic::create_directories(directory)?;
        }
        Journal::create(&path)?
    };
    let events: Vec<_> = events.iter().map(|event| with_plan(plan, event)).collect();
    let records = journal.append(at, &events)?;
    journal.sync()?;
    journal.write_head()?;
    Ok(records)
}

/// Cuts off a last line that a crash left unfinished, and says so. Nobody writes the log meanwhile.
pub fn cut_torn_line(
    store: &Store,
    plan: &str,
    _held: &PlanLock,
) -> Result<Option<TornLine>, PlanLogError> {
    let path = store.log_path(plan);
    let is_whole = match fs::read(&path) {
        Ok(bytes) => bytes.last().is_none_or(|last| *last == b'\n'),
        // The reader reports it.
        Err(_) => true,
    };
    if is_whole || path.is_symlink() {
        return Ok(None);
    }
    let (journal, _) = Journal::open(&path)?;
    Ok(journal.torn_line().cloned())
}

/// Records where the log ends, which a writer that was killed may have left undone.
pub fn record_end(store: &Store, plan: &str, _held: &PlanLock) -> Result<(), PlanLogError> {
    let path = store.log_path(plan);
    let (mut journal, _) = Journal::open(&path)?;
    journal.sync()?;
    journal.write_head()?;
    Ok(())
}

/// Forgets the recorded end of a log that is about to be deleted. The log itself goes next and the file with its end
/// last: a kill in between never looks like lost lines.
pub fn forget_end(log: &Path) -> Result<(), PlanLogError> {
    Ok(journal::record_beginning(log)?)
}

/// Where the end of the log at this path is recorded.
pub fn head_path(log: &Path) -> PathBuf {
    journal::head_path(log)
}

/// The event, with the plan it is about.
fn with_plan(plan: &str, event: &Map<String, Value>) -> Map<String, Value> {
    let mut event = event.clone();
    event.insert(PLAN.to_owned(), Value::from(plan));
    event
}

/// Every line names the plan that the file is named for.
fn about_its_plan(path: &Path, records: &[Record]) -> Result<(), PlanLogError> {
    let name = path.file_stem().unwrap_or_default();
    for record in records {
        let plan = record.body.get(PLAN).and_then(Value::as_str);
        if plan.is_none_or(|plan| name != key::encode(plan).as_str()) {
            return Err(PlanLogError(JournalError::OtherPlan {
                path: path.to_path_buf(),
                line: record.seq,
                plan: plan.map(str::to_owned),
            }));
        }
    }
    Ok(())
}

/// The log files there are. Their names are keys, encoded.
pub fn all_logs(store: &Store) -> Result<Vec<PathBuf>, FileError> {
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
        assert_eq!(all_logs(&store).unwrap().len(), 6);
        let beside: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
        assert_eq!(beside.len(), 1, "{beside:?}");
    }

    #[test]
    fn an_unfinished_line_is_cut_off_and_kept() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let at = "2026-11-15T09:30:12.345Z";
        let held = lock(&store, "p").unwrap();
        assert_eq!(cut_torn_line(&store, "p", &held).unwrap(), None);
        append(&store, "p", &held, at, &[event("plan_proposed")]).unwrap();
        assert_eq!(cut_torn_line(&store, "p", &held).unwrap(), None);
        let path = store.log_path("p");
        let whole = fs::read(&path).unwrap();
        for kept in ["{\"v\":1,\n", "{\"v\":1,\n{\"v\n"] {
            let torn = kept.lines().last().unwrap();
            fs::write(&path, [&whole, torn.as_bytes()].concat()).unwrap();
            let found = cut_torn_line(&store, "p", &held).unwrap().unwrap();
            assert_eq!(found.bytes, torn.len());
            assert_eq!(fs::read_to_string(&found.path).unwrap(), kept);
            assert_eq!(fs::read(&path).unwrap(), whole);
        }
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

    #[test]
    fn another_plans_log_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let at = "2026-11-15T09:30:12.345Z";
        for plan in ["good", "evil"] {
            let held = lock(&store, plan).unwrap();
            append(&store, plan, &held, at, &[event("plan_proposed")]).unwrap();
        }
        let [good, evil] = ["good", "evil"].map(|plan| store.log_path(plan));
        fs::copy(&evil, &good).unwrap();
        fs::copy(head_path(&evil), head_path(&good)).unwrap();
        let refused = read(&store, "good").unwrap_err();
        assert!(
            matches!(&refused.0, JournalError::OtherPlan { line: 1, plan: Some(plan), .. } if plan == "evil"),
            "{refused:?}"
        );
        let held = lock(&store, "good").unwrap();
        assert!(append(&store, "good", &held, at, &[event("x")]).is_err());
        assert_eq!(read(&store, "evil").unwrap().len(), 1);

        // A line that names none, however well it is chained.
        let path = store.log_path("old");
        let mut journal = Journal::create(&path).unwrap();
        journal.append(at, &[event("plan_proposed")]).unwrap();
        drop(journal);
        let refused = read(&store, "old").unwrap_err();
        assert!(
            matches!(refused.0, JournalError::OtherPlan { plan: None, .. }),
            "{refused:?}"
        );
    }

    #[test]
    fn a_log_that_lost_its_end_or_is_gone_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let at = "2026-11-15T09:30:12.345Z";
        // `journal` shares its name with the journals of runs.
        for plan in ["p", "journal"] {
            let held = lock(&store, plan).unwrap();
            append(&store, plan, &held, at, &[event("plan_proposed")]).unwrap();
            append(&store, plan, &held, at, &[event("plan_cancelled")]).unwrap();
            let path = store.log_path(plan);
            let whole = fs::read_to_string(&path).unwrap();
            let first = whole.split_inclusive('\n').next().unwrap();
            let damage: [&dyn Fn(); 3] = [
                &|| fs::write(&path, first).unwrap(),
                &|| fs::write(&path, "").unwrap(),
                &|| fs::remove_file(&path).unwrap(),
            ];
            for damage in damage {
                damage();
                for refused in [
                    read(&store, plan),
                    append(&store, plan, &held, at, &[event("x")]),
                ] {
                    let shorter = matches!(
                        refused,
                        Err(PlanLogError(JournalError::Shorter { recorded: 2, .. }))
                    );
                    assert!(shorter, "{refused:?}");
                }
                fs::write(&path, &whole).unwrap();
                assert_eq!(read(&store, plan).unwrap().len(), 2);
            }
        }
    }

    #[test]
    fn a_log_whose_recorded_end_is_gone_is_refused_and_one_that_is_being_deleted_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::create(dir.path()).unwrap();
        let at = "2026-11-15T09:30:12.345Z";
        let held = lock(&store, "p").unwrap();
        append(&store, "p", &held, at, &[event("plan_proposed")]).unwrap();
        append(&store, "p", &held, at, &[event("plan_cancelled")]).unwrap();
        let path = store.log_path("p");
        let head = head_path(&path);
        let recorded = fs::read(&head).unwrap();
        fs::remove_file(&head).unwrap();
        let whole = fs::read_to_string(&path).unwrap();
        for left in [
            whole.as_str(),
            whole.split_inclusive('\n').next().unwrap(),
            "",
        ] {
            fs::write(&path, left).unwrap();
            let appended = append(&store, "p", &held, at, &[event("x")]);
            let ended = record_end(&store, "p", &held);
            for refused in [read(&store, "p").err(), appended.err(), ended.err()] {
                let no_head = matches!(&refused, Some(PlanLogError(JournalError::NoHead { .. })));
                assert!(no_head, "{refused:?}");
            }
        }
        fs::write(&path, &whole).unwrap();
        fs::write(&head, recorded).unwrap();
        forget_end(&path).unwrap();
        assert_eq!(read(&store, "p").unwrap().len(), 2);
        fs::remove_file(&path).unwrap();
        assert_eq!(read(&store, "p").unwrap(), []);
        fs::remove_file(&head).unwrap();
        assert_eq!(read(&store, "p").unwrap(), []);
    }
}
