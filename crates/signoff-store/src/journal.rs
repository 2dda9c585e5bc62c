//! The journal: one event per line, appended, each line chained to the one before by its hash.
//!
//! A line is `{"v":1,"seq":1,"at":"…","type":"…",…,"prev":"<64 hex>","hash":"<64 hex>"}`. `hash` is
//! the SHA-256 of the line up to, not including, `,"hash":`; `prev` is the hash of the line before,
//! 64 zeros in the first. Only a last line without its newline can be the work of a crash; anything
//! else that does not fit is refused with its place.

mod error;
mod follow;
mod head;
mod line;

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use self::error::JournalError;
pub use self::follow::Follower;
use self::head::Head;
use crate::atomic::{self, Mode};
use crate::hash::ZEROS;
use crate::{FileError, failpoint, timestamp};

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

/// The end of a line whose writing was interrupted, moved out of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Torn {
    /// Where the bytes are now.
    pub path: PathBuf,
    pub bytes: usize,
}

/// A journal open for appending. Holds a lock on the file: there is one writer.
#[derive(Debug)]
pub struct Journal {
    file: File,
    path: PathBuf,
    length: u64,
    head: Head,
    /// The newest head known to be on disk, and whether `head.json` says so.
    synced: Head,
    recorded: Head,
    /// A write or sync failed: nobody knows what is on disk until it is read again.
    unknown: bool,
    torn: Option<Torn>,
}

/// Reads a journal that another process may be writing: an unfinished last line is ignored.
pub fn load(path: &Path) -> Result<Vec<Record>, JournalError> {
    // The head first: what is written while we read only makes the journal longer.
    let recorded = Head::read(path)?;
    let bytes = std::fs::read(path).map_err(FileError::at("read", path))?;
    let (records, _) = line::read_all(path, &bytes)?;
    recorded.check(path, &records)?;
    Ok(records)
}

/// A journal that is not there must never have been: refused if its end was recorded.
pub(crate) fn refuse_if_lost(path: &Path) -> Result<(), JournalError> {
    Head::read(path)?.check(path, &[])
}

/// Where the end of this journal is recorded.
pub(crate) fn head_path(path: &Path) -> PathBuf {
    head::path_for(path)
}

impl Journal {
    /// Starts an empty journal, readable by its owner only, where there is none.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let file = failpoint::change()
            .and_then(|()| {
                OpenOptions::new()
                    .read(true)
                    .append(true)
                    .create_new(true)
                    .mode(0o600)
                    .open(path)
            })
            .map_err(FileError::at("create", path))?;
        atomic::sync_parent(path)?;
        Self::locked(file, path)
    }

    /// Opens a journal to continue it: checks every line, cuts an unfinished last one (see
    /// [`Journal::torn`]), and refuses anything else that does not fit.
    pub fn open(path: &Path) -> Result<(Self, Vec<Record>), JournalError> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .map_err(FileError::at("open", path))?;
        let mut journal = Self::locked(file, path)?;
        let recorded = Head::read(path)?;
        let bytes = std::fs::read(path).map_err(FileError::at("read", path))?;
        let (records, end) = line::read_all(path, &bytes)?;
        recorded.check(path, &records)?;
        if end < bytes.len() {
            journal.cut(&bytes, end)?;
        }
        journal.length = end as u64;
        journal.head = records.last().map(Head::of).unwrap_or_default();
        journal.synced = recorded.clone();
        journal.recorded = recorded;
        Ok((journal, records))
    }

    /// Appends the events, in one write, and returns them as they stand in the journal.
    ///
    /// Each must have a string `type` and none of `v`, `seq`, `at`, `prev`, `hash`. A crash can
    /// leave the first few of them. After an error nothing can be appended until the journal is
    /// opened again.
    pub fn append(
        &mut self,
        at: &str,
        events: &[Map<String, Value>],
    ) -> Result<Vec<Record>, JournalError> {
        self.refuse_if_unknown()?;
        if !timestamp::is_rfc3339_ms(at) {
            return Err(self.bad_event(format!("its time `{at}` is not like `…T09:30:12.345Z`")));
        }
        let mut bytes = Vec::with_capacity(512 * events.len());
        let mut records: Vec<Record> = Vec::with_capacity(events.len());
        for event in events {
            let before = records.last().map_or(&self.head.hash, |last| &last.hash);
            let seq = self.head.seq + records.len() as u64 + 1;
            let record = line::write(&mut bytes, seq, at, event, before);
            records.push(record.map_err(|reason| self.bad_event(reason))?);
        }
        self.write(&bytes)?;
        if let Some(last) = records.last() {
            self.head = Head::of(last);
        }
        Ok(records)
    }

    /// Returns once everything appended survives a power failure.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.refuse_if_unknown()?;
        // After a failed sync the kernel may call pages clean that never reached the disk; a second
        // one would succeed and prove nothing.
        self.unknown = true;
        failpoint::change()
            .and_then(|()| self.file.sync_data())
            .map_err(FileError::at("sync", &self.path))?;
        self.unknown = false;
        self.synced = self.head.clone();
        Ok(())
    }

    /// Records, outside the journal, how long it had become at the last sync, so that a shorter one
    /// is noticed. The caller says how often that is worth it.
    pub fn write_head(&mut self) -> Result<(), JournalError> {
        if self.synced != self.recorded {
            self.synced.write(&self.path)?;
            self.recorded = self.synced.clone();
        }
        Ok(())
    }

    /// Number and hash of the last record; 0 and zeros when there is none.
    pub fn head(&self) -> (u64, String) {
        (self.head.seq, self.head.hash.clone())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What opening had to cut off.
    pub fn torn(&self) -> Option<&Torn> {
        self.torn.as_ref()
    }

    fn locked(file: File, path: &Path) -> Result<Self, JournalError> {
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(JournalError::Busy {
                    path: path.to_path_buf(),
                });
            }
            Err(TryLockError::Error(error)) => {
                return Err(FileError::at("lock", path)(error).into());
            }
        }
        Ok(Self {
            file,
            path: path.to_path_buf(),
            length: 0,
            head: Head::default(),
            synced: Head::default(),
            recorded: Head::default(),
            unknown: false,
            torn: None,
        })
    }

    /// Moves an unfinished last line aside. First the copy, then the cut: a crash in between only
    /// repeats it.
    fn cut(&mut self, bytes: &[u8], end: usize) -> Result<(), JournalError> {
        let mut name = self.path.clone().into_os_string();
        name.push(".torn");
        let aside = PathBuf::from(name);
        atomic::overwrite(&aside, &bytes[end..], Mode::Private)?;
        self.file
            .set_len(end as u64)
            .and_then(|()| self.file.sync_all())
            .map_err(FileError::at("cut", &self.path))?;
        self.torn = Some(Torn {
            path: aside,
            bytes: bytes.len() - end,
        });
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        failpoint::reached("append.before");
        self.refuse_if_touched()?;
        if failpoint::fires("append.torn") {
            self.file.write_all(&bytes[..bytes.len() / 2]).ok();
            failpoint::die();
        }
        // `write_all` is one write() unless the disk is full or a signal comes between.
        if let Err(error) = failpoint::change().and_then(|()| self.file.write_all(bytes)) {
            self.unknown = true;
            // What was reported as failed should not be found later as having happened.
            self.file.set_len(self.length).ok();
            return Err(FileError::at("append to", &self.path)(error).into());
        }
        self.length += bytes.len() as u64;
        failpoint::reached("append.after");
        Ok(())
    }

    fn refuse_if_unknown(&self) -> Result<(), JournalError> {
        if self.unknown {
            return Err(JournalError::Unknown {
                path: self.path.clone(),
            });
        }
        Ok(())
    }

    /// The file at our path must still be the one we write, and as long as we made it: events that
    /// nobody can find later were never journaled.
    pub fn refuse_if_touched(&mut self) -> Result<(), JournalError> {
        let own = self
            .file
            .metadata()
            .map_err(FileError::at("look at", &self.path))?;
        let same = std::fs::metadata(&self.path)
            .is_ok_and(|there| there.dev() == own.dev() && there.ino() == own.ino());
        if same && own.len() == self.length {
            return Ok(());
        }
        self.unknown = true;
        Err(JournalError::Touched {
            path: self.path.clone(),
        })
    }

    fn bad_event(&self, reason: String) -> JournalError {
        JournalError::BadEvent {
            path: self.path.clone(),
            reason,
        }
    }
}

impl Default for Head {
    fn default() -> Self {
        Self {
            seq: 0,
            hash: ZEROS.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests;
