//! The engine's events in a journal file.

use serde_json::{Map, Value};
use signoff_api::event::Event as WireEvent;
use signoff_engine::{Event, Millis, Recorded};
use signoff_store::journal::{Journal, JournalError, Record};

use crate::clock::{millis, timestamp};
use crate::error::Error;

/// The head is written beside the journal at most this often.
const HEAD_EVERY: Millis = 1000;

/// Remembers events. What must survive is in it before it happens.
pub trait Append {
    /// Appends events and, where one of them reaches outside, waits until they are on disk.
    fn append(&mut self, at: Millis, events: Vec<Event>) -> Result<Vec<Recorded>, Error>;
    /// Called when the run pauses or ends.
    fn close(&mut self) -> Result<(), Error>;
}

/// A run's `journal.jsonl`.
#[derive(Debug)]
pub struct FileJournal {
    journal: Journal,
    head_written: Millis,
}

impl FileJournal {
    pub(crate) fn new(journal: Journal) -> Self {
        Self {
            journal,
            head_written: 0,
        }
    }

    /// Part of a last line that a crash cut off and that was moved aside.
    pub fn torn(&self) -> Option<&signoff_store::journal::Torn> {
        self.journal.torn()
    }
}

impl Append for FileJournal {
    fn append(&mut self, at: Millis, events: Vec<Event>) -> Result<Vec<Recorded>, Error> {
        let bodies = events.iter().map(body).collect::<Result<Vec<_>, _>>()?;
        let records = self.journal.append(&timestamp(at), &bodies)?;
        if events.iter().any(Event::reaches_outside) {
            self.journal.sync()?;
            if at >= self.head_written + HEAD_EVERY {
                self.journal.write_head()?;
                self.head_written = at;
            }
        }
        Ok(records
            .iter()
            .zip(events)
            .map(|(record, event)| Recorded {
                seq: record.seq,
                at,
                event,
            })
            .collect())
    }

    fn close(&mut self) -> Result<(), Error> {
        self.journal.refuse_if_touched()?;
        self.journal.sync()?;
        self.journal.write_head()?;
        Ok(())
    }
}

fn body(event: &Event) -> Result<Map<String, Value>, Error> {
    match serde_json::to_value(WireEvent::from(event.clone())) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(Error::Unwritable {
            why: "it is no object".to_owned(),
        }),
        Err(why) => Err(Error::Unwritable {
            why: why.to_string(),
        }),
    }
}

/// A record as the engine knows it. One that this version does not know is refused: guessing at a
/// run's history would be worse than stopping.
pub(crate) fn recorded(record: &Record) -> Result<Recorded, Error> {
    let event: WireEvent =
        serde_json::from_value(Value::Object(record.body.clone())).map_err(|why| {
            Error::UnknownEvent {
                seq: record.seq,
                why: why.to_string(),
            }
        })?;
    Ok(Recorded {
        seq: record.seq,
        at: millis(&record.at),
        event: event.into(),
    })
}

impl From<JournalError> for Error {
    fn from(error: JournalError) -> Self {
        Self::Journal(error)
    }
}
