//! Reads a journal as it grows.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::head::Head;
use super::read::each_after;
use super::{JournalError, JournalLine};
use crate::files::FileError;

/// Where a reader is in a journal that another process writes.
#[derive(Debug)]
pub struct Follower {
    path: PathBuf,
    /// Bytes of the lines that were read.
    offset: u64,
    head: Head,
}

impl Follower {
    /// A reader that has read nothing yet.
    pub fn new(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            offset: 0,
            head: Head::default(),
        }
    }

    /// Hands over what was appended since the last call: whole lines only, each of which must follow
    /// the one before.
    pub fn read_new<E: From<JournalError>>(
        &mut self,
        each: impl FnMut(JournalLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        self.read_after(&Head::default(), each)
    }

    /// The same; and what is there now must be all that was ever recorded, as [`load_each`](super::load_each) has it.
    pub fn read_whole<E: From<JournalError>>(
        &mut self,
        each: impl FnMut(JournalLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        // The head first: what is written while we read only makes the journal longer.
        let recorded = Head::of_existing(&self.path)?;
        self.read_after(&recorded, each)?;
        recorded.check_reached(&self.path, self.head.seq)?;
        recorded.check_line(&self.path, self.head.seq, &self.head.hash)?;
        Ok(())
    }

    /// Bytes that were read.
    pub fn length(&self) -> u64 {
        self.offset
    }

    fn read_after<E: From<JournalError>>(
        &mut self,
        recorded: &Head,
        each: impl FnMut(JournalLine<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if let Some(file) = self.open_if_grown()? {
            let head = self.head.clone();
            let found = each_after(&self.path, file, head, recorded, each)?;
            self.offset += found.end;
            self.head = found.head;
        }
        Ok(())
    }

    /// The file from where we are on, if there is more in it.
    fn open_if_grown(&self) -> Result<Option<File>, JournalError> {
        let at = |what| FileError::at(what, &self.path);
        let mut file = File::open(&self.path).map_err(at("open"))?;
        let length = file.metadata().map_err(at("look at"))?.len();
        if length < self.offset {
            return Err(JournalError::Corrupt {
                path: self.path.clone(),
                line: self.head.seq,
                reason: "it was there, and is not any more".to_owned(),
            });
        }
        file.seek(SeekFrom::Start(self.offset))
            .map_err(at("read"))?;
        Ok((length > self.offset).then_some(file))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Map, Value, json};

    use super::super::Journal;
    use super::*;

    const AT: &str = "2026-11-15T09:30:12.345Z";

    fn event(name: &str) -> Map<String, Value> {
        json!({"type": name}).as_object().unwrap().clone()
    }

    /// What is new, as number and event.
    fn read_new(follower: &mut Follower) -> Result<Vec<(u64, String)>, JournalError> {
        let mut seen = Vec::new();
        follower.read_new(|line| {
            let event = String::from_utf8_lossy(line.event).into_owned();
            seen.push((line.seq, event));
            Ok::<_, JournalError>(())
        })?;
        Ok(seen)
    }

    #[test]
    fn every_record_is_seen_once_however_the_bytes_arrive() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, grown) = (folder.path().join("whole"), folder.path().join("grown"));
        let mut journal = Journal::create(&whole).unwrap();
        for name in ["a", "b", "c"] {
            journal.append(AT, &[event(name)]).unwrap();
        }
        let bytes = fs::read(&whole).unwrap();
        fs::write(&grown, "").unwrap();
        let mut follower = Follower::new(&grown);
        let mut seen = Vec::new();
        for end in 0..=bytes.len() {
            fs::write(&grown, &bytes[..end]).unwrap();
            seen.extend(read_new(&mut follower).unwrap());
        }
        let expected = ["a", "b", "c"].map(|name| json!({"type": name}).to_string());
        assert_eq!(seen, (1..).zip(expected).collect::<Vec<_>>());
        assert_eq!(read_new(&mut follower).unwrap(), []);
    }

    #[test]
    fn a_journal_without_its_end_is_refused_by_whoever_wants_all_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::create(&path).unwrap();
        journal.append(AT, &[event("a")]).unwrap();
        let first = fs::read(&path).unwrap();
        let mut follower = Follower::new(&path);
        let mut read_whole = || follower.read_whole(|_| Ok::<_, JournalError>(()));
        read_whole().unwrap();
        journal.append(AT, &[event("b")]).unwrap();
        journal.sync().unwrap();
        journal.write_head().unwrap();
        let both = fs::read(&path).unwrap();
        fs::write(&path, &first).unwrap();
        assert!(matches!(read_whole(), Err(JournalError::Shorter { .. })));
        fs::write(&path, both).unwrap();
        read_whole().unwrap();
    }

    #[test]
    fn what_does_not_follow_is_refused_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::create(&path).unwrap();
        journal.append(AT, &[event("a")]).unwrap();
        let mut follower = Follower::new(&path);
        assert_eq!(read_new(&mut follower).unwrap().len(), 1);
        let first = fs::read(&path).unwrap();
        let check = |bytes: &[u8], line: u64, follower: &mut Follower| {
            fs::write(&path, bytes).unwrap();
            let error = read_new(follower).unwrap_err();
            let JournalError::Corrupt { line: found, .. } = error else {
                panic!("{error}");
            };
            assert_eq!(found, line);
        };
        // The first line, repeated, is not a second line.
        check(&first.repeat(2), 2, &mut follower);
        check(&first[..first.len() - 1], 1, &mut follower);
    }
}
