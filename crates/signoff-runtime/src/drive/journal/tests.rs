use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use tempfile::TempDir;

use super::*;

/// Every kind of event there is.
fn every_event() -> Vec<Event> {
    let sample = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../signoff-api/tests/samples/event-v1.jsonl"
    );
    let text = fs::read_to_string(sample).unwrap();
    let events = text.lines().map(serde_json::from_str::<Event>);
    events.map(Result::unwrap).collect()
}

/// A journal of these events; the clock goes backwards on the way.
fn journal(events: &[Event], durability: Durability) -> (TempDir, PathBuf, Vec<RecordedEvent>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("journal.jsonl");
    let mut journal = FileJournal::new(Journal::create(&path).unwrap(), durability);
    let times = (0..).map(|n| 1_794_735_012_345 - n * 7000);
    let batches = events.chunks(3).zip(times);
    let written = batches.flat_map(|(batch, at)| journal.write(at, batch.to_vec()).unwrap());
    let written = written.collect();
    journal.sync().unwrap();
    (dir, path, written)
}

/// Journals of three events each, the one in the middle of every kind there is, as bytes.
fn every_kind(mut check: impl FnMut(&Path, &[u8], &[RecordedEvent])) {
    let events = every_event();
    for event in &events {
        let three = [events[0].clone(), event.clone(), events[2].clone()];
        let (_dir, path, written) = journal(&three, Durability::Process);
        let bytes = fs::read(&path).unwrap();
        check(&path, &bytes, &written);
    }
}

fn loaded(path: &Path) -> Result<Vec<RecordedEvent>, Error> {
    let mut events = Vec::new();
    read_events(path, |event| {
        events.push(event);
        Ok(())
    })?;
    Ok(events)
}

#[test]
fn every_event_is_read_back_as_it_was_written() {
    for durability in [Durability::Power, Durability::Process] {
        let (_dir, path, written) = journal(&every_event(), durability);
        assert_eq!(loaded(&path).unwrap(), written);
        let mut read = Vec::new();
        let mut journal = FileJournal::open(&path, durability, |event| {
            read.push(event);
            Ok(())
        })
        .unwrap();
        assert_eq!(read, written);
        let more = journal.write(0, vec![every_event().remove(2)]).unwrap();
        assert_eq!(
            more.first().map(|event| event.seq),
            Some(written.len() as u64 + 1)
        );
        let busy = FileJournal::open(&path, durability, |_| Ok(())).unwrap_err();
        assert!(matches!(busy, Error::Journal(JournalError::Busy { .. })));
        journal.close().unwrap();
        let head = fs::read_to_string(path.with_file_name("head.json")).unwrap();
        assert!(
            head.contains(&format!("\"seq\":{},", written.len() + 1)),
            "{head}"
        );
    }
}

#[test]
fn cut_at_every_byte_it_is_a_prefix() {
    every_kind(|path, bytes, written| {
        let file = File::options().write(true).open(path).unwrap();
        for cut in (0..=bytes.len()).rev() {
            file.set_len(cut as u64).unwrap();
            let whole = bytes[..cut].split(|byte| *byte == b'\n').count() - 1;
            assert_eq!(loaded(path).unwrap(), written[..whole], "cut at {cut}");
        }
    });
}

#[test]
fn flipped_at_every_byte_it_is_refused_with_the_place() {
    every_kind(|path, bytes, written| {
        let file = File::options().write(true).open(path).unwrap();
        let mut expected = 1;
        for at in 0..bytes.len() {
            let flipped = bytes[at] ^ 1 << (at % 8);
            file.write_all_at(&[flipped], at as u64).unwrap();
            let newline = bytes[at] == b'\n';
            match loaded(path) {
                Err(Error::Journal(JournalError::Corrupt { line, .. })) => {
                    assert_eq!(line, expected);
                }
                // The last line lost its end: it was never finished, as far as anybody can tell.
                Ok(read) if newline => assert_eq!(read, written[..written.len() - 1]),
                other => panic!("byte {at}: {other:?}"),
            }
            file.write_all_at(&bytes[at..=at], at as u64).unwrap();
            expected += u64::from(newline);
        }
    });
}

#[test]
fn only_what_reaches_outside_is_waited_for() {
    let (_dir, path, _) = journal(&every_event(), Durability::Power);
    let mut journal = FileJournal::open(&path, Durability::Power, |_| Ok(())).unwrap();
    for event in every_event() {
        let outside = event.sync_time() == SyncTime::BeforeEffects;
        journal.write(0, vec![event]).unwrap();
        assert_eq!(journal.owed, outside);
        journal.sync().unwrap();
        assert!(!journal.owed);
    }
}
