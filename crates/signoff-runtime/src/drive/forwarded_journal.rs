//! The journal of a run that other machines drove, for what only this machine can do: land it, or undo it. The other
//! machines write the events; the file here is a copy.

use std::path::PathBuf;
use std::sync::Arc;

use signoff_engine::{Event, Millis, RecordedEvent};

use super::journal::{Append, read_events};
use crate::cluster::RemoteRunAccess;
use crate::error::Error;

/// A journal that other machines write.
#[derive(Debug)]
pub(crate) struct ForwardedJournal {
    elsewhere: Arc<dyn RemoteRunAccess>,
    run: String,
    /// The copy.
    path: PathBuf,
    /// The number of the last event that is known here.
    known: u64,
}

impl ForwardedJournal {
    pub(crate) fn new(
        elsewhere: Arc<dyn RemoteRunAccess>,
        run: &str,
        path: PathBuf,
        known: u64,
    ) -> Self {
        Self {
            elsewhere,
            run: run.to_owned(),
            path,
            known,
        }
    }

    /// The events that they wrote since.
    fn new_events(&mut self) -> Result<Vec<RecordedEvent>, Error> {
        let unshared = |why| Error::Unshared { why };
        self.elsewhere.sync(&self.run).map_err(unshared)?;
        let mut found = Vec::new();
        let known = self.known;
        read_events(&self.path, |recorded| {
            if recorded.seq > known {
                found.push(recorded);
            }
            Ok(())
        })?;
        self.known = found.last().map_or(known, |last| last.seq);
        Ok(found)
    }
}

impl Append for ForwardedJournal {
    fn write(&mut self, _: Millis, events: Vec<Event>) -> Result<Vec<RecordedEvent>, Error> {
        for event in &events {
            let recorded = self.elsewhere.record(&self.run, event);
            if let Some(why) = recorded.map_err(|why| Error::Unshared { why })? {
                return Err(Error::RefusedThere { why });
            }
        }
        self.new_events()
    }

    fn sync(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }
}
