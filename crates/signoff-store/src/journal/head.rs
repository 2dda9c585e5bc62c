//! The end of a journal, recorded in a second file: a chain shows edits, not a missing end.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{JournalError, Record};
use crate::atomic::{self, Mode};
use crate::hash::is_hex;

/// Number and hash of a record; 0 and zeros before the first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) seq: u64,
    pub(super) hash: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadFile {
    v: u32,
    seq: u64,
    hash: String,
}

impl Head {
    pub(super) fn of(record: &Record) -> Self {
        Self {
            seq: record.seq,
            hash: record.hash.clone(),
        }
    }

    /// The head recorded for this journal; the empty one when none was.
    pub(super) fn read(journal: &Path) -> Result<Self, JournalError> {
        let path = path_for(journal);
        let Some(bytes) = atomic::read_if_exists(&path)? else {
            return Ok(Self::default());
        };
        let bad = |reason: String| JournalError::BadHead {
            path: path.clone(),
            reason,
        };
        let file: HeadFile =
            serde_json::from_slice(&bytes).map_err(|error| bad(error.to_string()))?;
        if file.v != 1 {
            return Err(bad(format!("version {} is not known here", file.v)));
        }
        if !is_hex(&file.hash) {
            return Err(bad("its hash is not one".to_owned()));
        }
        Ok(Self {
            seq: file.seq,
            hash: file.hash,
        })
    }

    pub(super) fn write(&self, journal: &Path) -> Result<(), JournalError> {
        let file = serde_json::json!({"v": 1, "seq": self.seq, "hash": self.hash});
        let text = format!("{file}\n");
        atomic::overwrite(&path_for(journal), text.as_bytes(), Mode::Private)?;
        Ok(())
    }

    /// A longer journal is normal, a shorter or different one is not.
    pub(super) fn check(&self, journal: &Path, records: &[Record]) -> Result<(), JournalError> {
        let Some(last) = self.seq.checked_sub(1) else {
            return Ok(());
        };
        let found = usize::try_from(last)
            .ok()
            .and_then(|last| records.get(last));
        match found {
            None => Err(JournalError::Shorter {
                path: journal.to_path_buf(),
                records: records.len() as u64,
                recorded: self.seq,
            }),
            Some(record) if record.hash != self.hash => Err(JournalError::Corrupt {
                path: journal.to_path_buf(),
                line: self.seq,
                reason: "it is not the record that was the last one before".to_owned(),
            }),
            Some(_) => Ok(()),
        }
    }
}

/// `head.json` beside a run's `journal.jsonl`; `NAME.head.json` beside any other `NAME.jsonl`,
/// since several of those share a directory.
pub(super) fn path_for(journal: &Path) -> PathBuf {
    let stem = journal.file_stem().unwrap_or_default().to_string_lossy();
    if stem == "journal" {
        return journal.with_file_name("head.json");
    }
    journal.with_file_name(format!("{stem}.head.json"))
}
