//! The end of a journal, recorded in a second file: a chain shows edits, not a missing end.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::JournalError;
use crate::files::FileError;
use crate::files::atomic::{self, FileMode};
use crate::files::hash::{ZEROS, is_hex};

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

impl Default for Head {
    fn default() -> Self {
        Self {
            seq: 0,
            hash: ZEROS.to_owned(),
        }
    }
}

impl Head {
    /// The head recorded for this journal; the empty one when none was.
    pub(super) fn read(journal: &Path) -> Result<Self, JournalError> {
        Ok(Self::recorded_head(journal)?.unwrap_or_default())
    }

    /// The head recorded for a journal that is there.
    pub(super) fn of_existing(journal: &Path) -> Result<Self, JournalError> {
        if let Some(head) = Self::recorded_head(journal)? {
            return Ok(head);
        }
        // Both may have come to be, or have been removed, since the journal was looked for.
        fs::metadata(journal).map_err(FileError::at("read", journal))?;
        Self::recorded_head(journal)?.ok_or_else(|| JournalError::NoHead {
            path: journal.to_path_buf(),
        })
    }

    fn recorded_head(journal: &Path) -> Result<Option<Self>, JournalError> {
        let path = path_for(journal);
        let Some(bytes) = atomic::read_if_exists(&path)? else {
            return Ok(None);
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
        Ok(Some(Self {
            seq: file.seq,
            hash: file.hash,
        }))
    }

    pub(super) fn write(&self, journal: &Path) -> Result<(), JournalError> {
        let file = serde_json::json!({"v": 1, "seq": self.seq, "hash": self.hash});
        let text = format!("{file}\n");
        atomic::overwrite(&path_for(journal), text.as_bytes(), FileMode::Private)?;
        Ok(())
    }

    /// A longer journal is normal, a shorter one is not.
    pub(super) fn check_reached(&self, journal: &Path, records: u64) -> Result<(), JournalError> {
        if self.seq <= records {
            return Ok(());
        }
        Err(JournalError::Shorter {
            path: journal.to_path_buf(),
            records,
            recorded: self.seq,
        })
    }

    /// Neither is another one: its line of this number must be the one recorded.
    pub(super) fn check_line(
        &self,
        journal: &Path,
        seq: u64,
        hash: &str,
    ) -> Result<(), JournalError> {
        if self.seq != seq || self.hash == hash {
            return Ok(());
        }
        Err(JournalError::Corrupt {
            path: journal.to_path_buf(),
            line: seq,
            reason: "it is not the record that was the last one before".to_owned(),
        })
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
