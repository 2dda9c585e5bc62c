//! Events too large for a line: the line names a blob, and the blob holds the event.
//!
//! Such a line is `…,"type":"…","blob":"<64 hex>",…`. Readers are given the event itself.

use std::path::{Path, PathBuf};

use super::entry::TYPE;
use super::{JournalEntry, JournalError};
use crate::blobs::{self, BlobError, THRESHOLD};
use crate::files::hash::is_hex;

const BLOB: &[u8] = br#"","blob":""#;
const END: &[u8] = br#""}"#;

/// Where the large events of a run's `journal.jsonl` are. Other journals keep theirs in their lines.
fn directory(journal: &Path) -> Option<PathBuf> {
    let of_run = journal.file_name()? == "journal.jsonl";
    of_run.then(|| journal.with_file_name("blobs"))
}

/// What stands in the line instead of this event, once the event is on disk; nothing if it is small.
pub(super) fn put_away(
    journal: &Path,
    event: &JournalEntry,
) -> Result<Option<JournalEntry>, JournalError> {
    let Some(directory) = directory(journal).filter(|_| event.bytes().len() > THRESHOLD) else {
        return Ok(None);
    };
    let hash = blobs::store(&directory, event.bytes()).map_err(|error| match error {
        BlobError::File(error) => JournalError::File(error),
        other => JournalError::BadEvent {
            path: journal.to_path_buf(),
            reason: other.to_string(),
        },
    })?;
    Ok(Some(JournalEntry::from_known_object(
        [TYPE, event.kind(), BLOB, hash.as_bytes(), END].concat(),
    )))
}

/// Puts the event into the place of what stands for it.
pub(super) fn fetch(journal: &Path, line: u64, event: &mut Vec<u8>) -> Result<(), JournalError> {
    let Some((kind, hash)) = blob_reference(event) else {
        return Ok(());
    };
    let Some(directory) = directory(journal) else {
        return Ok(());
    };
    let corrupt = |reason| JournalError::Corrupt {
        path: journal.to_path_buf(),
        line,
        reason,
    };
    let found = blobs::load(&directory, hash).map_err(|error| corrupt(error.to_string()))?;
    if !found.starts_with(&[TYPE, kind, b"\""].concat()) {
        return Err(corrupt(format!("the event in blob `{hash}` is another")));
    }
    *event = found;
    Ok(())
}

/// The type and the blob that a line names.
fn blob_reference(event: &[u8]) -> Option<(&[u8], &str)> {
    let inner = event.strip_prefix(TYPE)?.strip_suffix(END)?;
    let (rest, hash) = inner.split_at_checked(inner.len().checked_sub(64)?)?;
    let kind = rest.strip_suffix(BLOB)?;
    let hash = str::from_utf8(hash).ok()?;
    (is_hex(hash) && !kind.contains(&b'"')).then_some((kind, hash))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Map, Value, json};

    use super::super::{Follower, Journal, load};
    use super::*;

    const AT: &str = "2026-11-15T09:30:12.345Z";

    fn event(size: usize) -> Map<String, Value> {
        let event = json!({"type": "work_finished", "text": "é\"\n".repeat(size / 4)});
        event.as_object().unwrap().clone()
    }

    /// A journal with a small event, a large one and a small one.
    fn written(name: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        let mut journal = Journal::create(&path).unwrap();
        journal
            .append(AT, &[event(8), event(THRESHOLD), event(16)])
            .unwrap();
        drop(journal);
        (dir, path)
    }

    fn blobs(dir: &Path) -> Vec<PathBuf> {
        let entries = fs::read_dir(dir.join("blobs"));
        entries.map_or_else(
            |_| Vec::new(),
            |entries| entries.flatten().map(|entry| entry.path()).collect(),
        )
    }

    #[test]
    fn a_large_event_is_read_back_whole_and_its_line_is_short() {
        let (dir, path) = written("journal.jsonl");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.lines().all(|line| line.len() < 500), "{text}");
        assert_eq!(blobs(dir.path()).len(), 1);
        let expected = [event(8), event(THRESHOLD), event(16)];
        let bodies = |records: Vec<super::super::Record>| {
            records
                .into_iter()
                .map(|record| record.body)
                .collect::<Vec<_>>()
        };
        assert_eq!(bodies(load(&path).unwrap()), expected);
        assert_eq!(bodies(Journal::open(&path).unwrap().1), expected);
        let mut followed = Vec::new();
        let more = Follower::new(&path).read_new(|line| {
            followed.push(serde_json::from_slice::<Map<String, Value>>(line.event).unwrap());
            Ok::<_, JournalError>(())
        });
        more.unwrap();
        assert_eq!(followed, expected);
    }

    #[test]
    fn other_journals_keep_their_events_in_their_lines() {
        let (dir, path) = written("plan.jsonl");
        assert!(blobs(dir.path()).is_empty());
        assert_eq!(load(&path).unwrap()[1].body, event(THRESHOLD));
    }

    #[test]
    fn a_blob_that_is_missing_or_another_is_refused_with_the_line() {
        let (dir, path) = written("journal.jsonl");
        let blob = blobs(dir.path()).remove(0);
        let refused = |part: &str| {
            let error = load(&path).unwrap_err();
            let JournalError::Corrupt {
                line: 2, reason, ..
            } = &error
            else {
                panic!("{error}");
            };
            assert!(reason.contains(part), "{reason}");
        };
        fs::write(&blob, "{}").unwrap();
        refused("damaged");
        fs::remove_file(&blob).unwrap();
        refused("missing");
    }
}
