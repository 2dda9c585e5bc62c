//! Reads a journal as it grows.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::head::Head;
use super::{JournalError, Record, line};
use crate::FileError;

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

    /// What was appended since the last call: whole lines only, each of which must follow the one
    /// before.
    pub fn more(&mut self) -> Result<Vec<Record>, JournalError> {
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
        if length == self.offset {
            return Ok(Vec::new());
        }
        file.seek(SeekFrom::Start(self.offset))
            .map_err(at("read"))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(at("read"))?;
        let (records, end) = line::read_after(&self.path, &bytes, &self.head)?;
        self.offset += end as u64;
        if let Some(last) = records.last() {
            self.head = Head::of(last);
        }
        Ok(records)
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

    fn types(records: &[Record]) -> Vec<&str> {
        let kinds = records.iter().map(|record| record.body["type"].as_str());
        kinds.map(Option::unwrap).collect()
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
            seen.extend(follower.more().unwrap());
        }
        assert_eq!(types(&seen), ["a", "b", "c"]);
        assert_eq!(seen.last().unwrap().seq, 3);
        assert_eq!(follower.more().unwrap(), []);
    }

    #[test]
    fn what_does_not_follow_is_refused_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let mut journal = Journal::create(&path).unwrap();
        journal.append(AT, &[event("a")]).unwrap();
        let mut follower = Follower::new(&path);
        assert_eq!(follower.more().unwrap().len(), 1);
        let first = fs::read(&path).unwrap();
        let check = |bytes: &[u8], line: u64, follower: &mut Follower| {
            fs::write(&path, bytes).unwrap();
            let error = follower.more().unwrap_err();
            let JournalError::Corrupt { line: found, .. } = error else {
                panic!("{error}");
            };
            assert_eq!(found, line);
        };
        // The first line once more is no second one.
        check(&first.repeat(2), 2, &mut follower);
        check(&first[..first.len() - 1], 1, &mut follower);
    }
}
