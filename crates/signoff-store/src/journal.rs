//! The journal: one event per line, appended, each line chained to the one before by its hash.
//!
//! A line is `{"v":1,"seq":1,"at":"…","type":"…",…,"prev":"<64 hex>","hash":"<64 hex>"}`. `hash` is
//! the SHA-256 of the line up to, not including, `,"hash":`; `prev` is the hash of the line before,
//! 64 zeros in the first. Only a last line without its newline can be the work of a crash; anything
//! else that does not fit is refused with its place. An event too large for a line is a blob (`large.rs`).
//! How long it had become is recorded beside it (`head.rs`) before there is a journal: one without that record is refused.

mod entry;
mod error;
mod follow;
mod head;
mod large;
mod line;
mod read;
mod record;
mod sync;

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

pub use self::entry::JournalEntry;
pub use self::error::JournalError;
pub use self::follow::Follower;
use self::head::Head;
pub use self::read::JournalLine;
pub use self::record::Record;
use self::sync::Syncer;
use crate::files::atomic::{self, FileMode};
use crate::files::lock::try_lock_patiently;
use crate::files::{FileError, failpoint, timestamp};

/// The end of a line whose writing was interrupted, moved out of the journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornLine {
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
    /// The time of the first sync that is not waited for.
    syncer: Option<Syncer>,
    /// A write or sync failed: what is on disk is unknown until it is read again.
    unknown: bool,
    torn: Option<TornLine>,
}

/// Reads a journal that another process may be writing: an unfinished last line is ignored.
pub fn load(path: &Path) -> Result<Vec<Record>, JournalError> {
    let mut records = Vec::new();
    load_each(path, |line| {
        records.push(Record::of(path, line)?);
        Ok::<_, JournalError>(())
    })?;
    Ok(records)
}

/// The same, one record at a time: memory does not grow with the journal. Records that were passed on before an error
/// do not count.
pub fn load_each<E: From<JournalError>>(
    path: &Path,
    each: impl FnMut(JournalLine<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let file =
        File::open(path).map_err(|error| JournalError::from(FileError::at("read", path)(error)))?;
    // Before the first line: what is written while we read only makes the journal longer.
    let recorded = Head::of_existing(path)?;
    read::for_each_line(path, file, &recorded, each)?;
    Ok(())
}

/// A journal that is not there must never have been: refused if its end was recorded.
pub(crate) fn refuse_if_lost(path: &Path) -> Result<(), JournalError> {
    Head::read(path)?.check_reached(path, 0)
}

/// Records that a journal has nothing yet. Its end is recorded from the beginning on, before the journal itself is made:
/// one without that record could lack lines.
pub fn record_beginning(path: &Path) -> Result<(), JournalError> {
    Head::default().write(path)
}

/// Where the end of this journal is recorded.
pub(crate) fn head_path(path: &Path) -> PathBuf {
    head::path_for(path)
}

impl Journal {
    /// Starts an empty journal, readable by its owner only, where there is none and none was lost.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        if path.symlink_metadata().is_err() {
            refuse_if_lost(path)?;
            record_beginning(path)?;
        }
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
        Self::open_locked(file, path)
    }

    /// Opens a journal to continue it: checks every line, cuts an unfinished last one (see
    /// [`Journal::torn_line`]), and refuses anything else that does not fit.
    pub fn open(path: &Path) -> Result<(Self, Vec<Record>), JournalError> {
        let mut records = Vec::new();
        let journal = Self::open_each(path, |line| {
            records.push(Record::of(path, line)?);
            Ok::<_, JournalError>(())
        })?;
        Ok((journal, records))
    }

    /// The same, one record at a time: memory does not grow with the journal. Records that were passed on before an
    /// error do not count.
    pub fn open_each<E: From<JournalError>>(
        path: &Path,
        each: impl FnMut(JournalLine<'_>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .open(path)
            .map_err(|error| JournalError::from(FileError::at("open", path)(error)))?;
        let mut journal = Self::open_locked(file, path)?;
        let recorded = Head::of_existing(path)?;
        let found = read::for_each_line(path, &journal.file, &recorded, each)?;
        if !found.torn.is_empty() {
            journal.move_torn_line_aside(&found.torn, found.end)?;
        }
        journal.length = found.end;
        journal.head = found.head;
        journal.synced = recorded.clone();
        journal.recorded = recorded;
        Ok(journal)
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
        let bad = |reason| self.bad_event(reason);
        let bodies = events
            .iter()
            .map(line::checked_event)
            .collect::<Result<Vec<_>, _>>();
        let bodies = bodies.map_err(bad)?;
        let entries = bodies
            .iter()
            .map(JournalEntry::of)
            .collect::<Result<Vec<_>, _>>();
        let entries = entries.map_err(bad)?;
        let hashes = self.append_lines(at, &entries)?;
        let first = self.head.seq + 1 - hashes.len() as u64;
        let numbered = (first..).zip(hashes.into_iter().zip(bodies));
        Ok(numbered
            .map(|(seq, (hash, body))| Record {
                seq,
                at: at.to_owned(),
                body,
                hash,
            })
            .collect())
    }

    /// Appends events that are written down already, in one write, and returns the number of the
    /// first. Otherwise as [`Journal::append`].
    pub fn append_entries(
        &mut self,
        at: &str,
        events: &[JournalEntry],
    ) -> Result<u64, JournalError> {
        let first = self.head.seq + 1;
        self.append_lines(at, events)?;
        Ok(first)
    }

    /// Returns the hashes of the new lines.
    fn append_lines(
        &mut self,
        at: &str,
        events: &[JournalEntry],
    ) -> Result<Vec<String>, JournalError> {
        self.notice_syncs()?;
        if !timestamp::is_rfc3339_ms(at) {
            return Err(self.bad_event(format!("its time `{at}` is not like `…T09:30:12.345Z`")));
        }
        let mut bytes = Vec::with_capacity(512 * events.len());
        let mut hashes: Vec<String> = Vec::with_capacity(events.len());
        for (event, seq) in events.iter().zip(self.head.seq + 1..) {
            let small = large::put_away(&self.path, event)?;
            let fields = small.as_ref().unwrap_or(event).fields();
            let prev = hashes.last().unwrap_or(&self.head.hash);
            hashes.push(line::write(&mut bytes, seq, at, fields, prev));
        }
        self.write(&bytes)?;
        if let Some(last) = hashes.last() {
            self.head.seq += hashes.len() as u64;
            last.clone_into(&mut self.head.hash);
        }
        Ok(hashes)
    }

    /// Returns once everything appended survives a power failure.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.notice_syncs()?;
        if self.synced == self.head {
            return Ok(());
        }
        // After a failed sync the kernel may call pages clean that never reached the disk; a second
        // one would succeed and prove nothing.
        self.unknown = true;
        match &self.syncer {
            Some(syncer) => syncer.wait(&self.head),
            None => failpoint::change().and_then(|()| self.file.sync_data()),
        }
        .map_err(FileError::at("sync", &self.path))?;
        self.unknown = false;
        self.synced = self.head.clone();
        Ok(())
    }

    /// Begins to sync everything appended so far, without waiting. A sync that is under way is left alone: later lines
    /// share the next one. The next call reports a failure.
    pub fn begin_sync(&mut self) -> Result<(), JournalError> {
        self.notice_syncs()?;
        if self.syncer.is_none() {
            let syncer = Syncer::start(&self.file, &self.synced);
            self.syncer = Some(syncer.map_err(FileError::at("sync", &self.path))?);
        }
        if let Some(syncer) = &self.syncer {
            syncer.request(&self.head);
        }
        Ok(())
    }

    /// Records what was synced meanwhile, or why it was not.
    fn notice_syncs(&mut self) -> Result<(), JournalError> {
        self.refuse_if_unknown()?;
        let Some(syncer) = &self.syncer else {
            return Ok(());
        };
        match syncer.synced_head() {
            Ok(done) if done.seq > self.synced.seq => self.synced = done,
            Ok(_) => {}
            Err(error) => {
                self.unknown = true;
                return Err(FileError::at("sync", &self.path)(error).into());
            }
        }
        Ok(())
    }

    /// Records, outside the journal, how long it had become at the last sync, so that a shorter one
    /// is noticed. The caller says how often that is worth it.
    pub fn write_head(&mut self) -> Result<(), JournalError> {
        if let Some(Ok(done)) = self.syncer.as_ref().map(Syncer::synced_head)
            && done.seq > self.synced.seq
        {
            self.synced = done;
        }
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
    pub fn torn_line(&self) -> Option<&TornLine> {
        self.torn.as_ref()
    }

    fn open_locked(file: File, path: &Path) -> Result<Self, JournalError> {
        // A child that a killed writer was starting holds the file until it has become its program.
        if !try_lock_patiently(&file).map_err(FileError::at("lock", path))? {
            return Err(JournalError::Busy {
                path: path.to_path_buf(),
            });
        }
        Ok(Self {
            file,
            path: path.to_path_buf(),
            length: 0,
            head: Head::default(),
            synced: Head::default(),
            recorded: Head::default(),
            syncer: None,
            unknown: false,
            torn: None,
        })
    }

    /// Moves an unfinished last line aside, behind what was cut off earlier. First the copy, then the cut: a crash in
    /// between only repeats it.
    fn move_torn_line_aside(&mut self, torn: &[u8], end: u64) -> Result<(), JournalError> {
        let mut name = self.path.clone().into_os_string();
        name.push(".torn");
        let aside = PathBuf::from(name);
        let mut all = atomic::read_if_exists(&aside)?.unwrap_or_default();
        all.extend_from_slice(torn);
        all.push(b'\n');
        atomic::overwrite(&aside, &all, FileMode::Private)?;
        self.file
            .set_len(end)
            .and_then(|()| self.file.sync_all())
            .map_err(FileError::at("cut", &self.path))?;
        self.torn = Some(TornLine {
            path: aside,
            bytes: torn.len(),
        });
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), JournalError> {
        failpoint::reach("append.before");
        self.refuse_if_touched()?;
        if failpoint::should_die_at("append.torn") {
            self.file.write_all(&bytes[..bytes.len() / 2]).ok();
            failpoint::die();
        }
        // `write_all` is one write() unless the disk is full or a signal comes between.
        if let Err(error) = failpoint::change().and_then(|()| self.file.write_all(bytes)) {
            self.unknown = true;
            // An event whose write was reported as failed should not be found in the journal later.
            self.file.set_len(self.length).ok();
            return Err(FileError::at("append to", &self.path)(error).into());
        }
        self.length += bytes.len() as u64;
        failpoint::reach("append.after");
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

#[cfg(test)]
mod tests;
