//! One event of a journal, as it is handed to readers.

use std::path::Path;

use serde_json::{Map, Value};

use super::{JournalError, JournalLine, line};

/// One event as it stands in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Position, from 1.
    pub seq: u64,
    pub at: String,
    /// The event's own fields, `type` among them.
    pub body: Map<String, Value>,
    pub hash: String,
}

impl Record {
    pub(super) fn of(path: &Path, line: JournalLine<'_>) -> Result<Self, JournalError> {
        let body = line::body(line.event).map_err(|reason| JournalError::Corrupt {
            path: path.to_path_buf(),
            line: line.seq,
            reason,
        })?;
        Ok(Self {
            seq: line.seq,
            at: line.at.to_owned(),
            body,
            hash: line.hash.to_owned(),
        })
    }
}
