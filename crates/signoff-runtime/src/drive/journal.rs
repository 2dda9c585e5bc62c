//! The engine's events in a journal file.

use std::path::Path;

use signoff_engine::{Event, Millis, RecordedEvent, SyncTime};
use signoff_store::config::Durability;
use signoff_store::journal::{self, Journal, JournalEntry, JournalError, JournalLine, TornLine};

use crate::clock::{millis, timestamp};
use crate::error::Error;

/// The head is written beside the journal at most this often.
const HEAD_EVERY: Millis = 1000;

/// A background sync begins after this many verdicts, or this long after the first of them.
const SYNC_VERDICTS: usize = 16;
const SYNC_EVERY: Millis = 25;

/// Stores events. An event that must survive is stored before its effect happens.
pub trait Append {
    /// Appends events without waiting. [`Append::sync`] stands between the last of them and what they announce.
    fn write(&mut self, at: Millis, events: Vec<Event>) -> Result<Vec<RecordedEvent>, Error>;

    /// Waits until everything that was appended and reaches outside is on disk: one sync for all of
    /// it, none if there is nothing of the kind.
    fn sync(&mut self) -> Result<(), Error>;

    /// Called when the run pauses or ends.
    fn close(&mut self) -> Result<(), Error>;
}

/// A run's `journal.jsonl`.
#[derive(Debug)]
pub struct FileJournal {
    journal: Journal,
    durability: Durability,
    /// An event with an effect outside was appended and may not be on disk.
    owed: bool,
    head_written: Millis,
    /// Verdicts written since a sync was last begun for one, and when that was.
    unsynced: usize,
    sync_begun: Millis,
}

impl FileJournal {
    pub(crate) fn new(journal: Journal, durability: Durability) -> Self {
        Self {
            journal,
            durability,
            owed: false,
            head_written: 0,
            unsynced: 0,
            sync_begun: 0,
        }
    }

    /// Opens a run's journal for appending, and passes on its events one at a time.
    pub(crate) fn open(
        path: &Path,
        durability: Durability,
        mut each: impl FnMut(RecordedEvent) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let journal = Journal::open_each(path, |line| each(parse_event(line)?))?;
        Ok(Self::new(journal, durability))
    }

    /// Part of a last line that a crash cut off and that was moved aside.
    pub fn torn_line(&self) -> Option<&TornLine> {
        self.journal.torn_line()
    }

    fn write_head(&mut self, at: Millis) -> Result<(), Error> {
        // A clock that was set back must not silence it.
        if at.abs_diff(self.head_written) >= HEAD_EVERY {
            self.journal.write_head()?;
            self.head_written = at;
        }
        Ok(())
    }
}

impl Append for FileJournal {
    fn write(&mut self, at: Millis, events: Vec<Event>) -> Result<Vec<RecordedEvent>, Error> {
        let entries = events.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        let first = self.journal.append_entries(&timestamp(at), &entries)?;
        let mut times = events.iter().map(Event::sync_time);
        self.owed |= times.clone().any(|time| time == SyncTime::BeforeEffects);
        self.unsynced += usize::from(times.any(|time| time != SyncTime::WithLaterEvents));
        let waited = at.abs_diff(self.sync_begun) >= SYNC_EVERY;
        let enough = self.unsynced >= SYNC_VERDICTS || (self.unsynced > 0 && waited);
        if self.durability == Durability::Power && enough {
            // Losing a verdict costs one more evaluation, so the next contract need not wait for it.
            self.journal.begin_sync()?;
            self.write_head(at)?;
            (self.unsynced, self.sync_begun) = (0, at);
        }
        let numbered = (first..).zip(events);
        Ok(numbered
            .map(|(seq, event)| RecordedEvent { seq, at, event })
            .collect())
    }

    fn sync(&mut self) -> Result<(), Error> {
        if self.owed && self.durability == Durability::Power {
            self.journal.sync()?;
        }
        self.owed = false;
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        self.journal.refuse_if_touched()?;
        self.journal.sync()?;
        self.journal.write_head()?;
        Ok(())
    }
}

/// Describes the part of a last line that a crash left.
pub(crate) fn torn_note(what: &str, torn: &TornLine) -> String {
    format!(
        "a crash cut off the last line of the {what}, which does not count: its {} bytes are in {}",
        torn.bytes,
        torn.path.display()
    )
}

fn entry(event: &Event) -> Result<JournalEntry, Error> {
    JournalEntry::of(event).map_err(|why| Error::Unwritable { why })
}

/// Reads a run's journal, which another process may be writing, one event at a time.
pub(crate) fn read_events(
    path: &Path,
    mut each: impl FnMut(RecordedEvent) -> Result<(), Error>,
) -> Result<(), Error> {
    journal::load_each(path, |line| each(parse_event(line)?))
}

/// The first event of a journal, if it has any.
pub(crate) fn first_event(path: &Path) -> Result<Option<RecordedEvent>, Error> {
    enum FirstEventSearch {
        Found(Box<RecordedEvent>),
        Failed(Error),
    }
    impl From<JournalError> for FirstEventSearch {
        fn from(error: JournalError) -> Self {
            Self::Failed(error.into())
        }
    }
    let read = journal::load_each(path, |line| {
        Err(match parse_event(line) {
            Ok(recorded) => FirstEventSearch::Found(Box::new(recorded)),
            Err(error) => FirstEventSearch::Failed(error),
        })
    });
    match read {
        Ok(()) => Ok(None),
        Err(FirstEventSearch::Found(recorded)) => Ok(Some(*recorded)),
        Err(FirstEventSearch::Failed(error)) => Err(error),
    }
}

/// A line as the engine knows it. One that this version does not know is refused: guessing at a
/// run's history would be worse than stopping.
pub(crate) fn parse_event(line: JournalLine<'_>) -> Result<RecordedEvent, Error> {
    let event = serde_json::from_slice(line.event).map_err(|why| Error::UnknownEvent {
        seq: line.seq,
        why: why.to_string(),
    })?;
    Ok(RecordedEvent {
        seq: line.seq,
        at: millis(line.at),
        event,
    })
}

impl From<JournalError> for Error {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}

#[cfg(test)]
mod tests;
