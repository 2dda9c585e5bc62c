//! A journal that several machines share: the file is this machine's copy, and what was published is the truth.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;

use signoff_engine::{Event, Millis, RecordedEvent};

use super::journal::{Append, FileJournal};
use crate::cluster::Cluster;
use crate::error::Error;

/// A run's journal, published at every sync.
#[derive(Debug)]
pub(crate) struct PublishedJournal {
    file: FileJournal,
    path: PathBuf,
    cluster: Arc<dyn Cluster>,
    /// How much of the file was published.
    published: u64,
}

impl PublishedJournal {
    /// Everything that the file holds now was published.
    pub(crate) fn new(
        file: FileJournal,
        path: PathBuf,
        cluster: Arc<dyn Cluster>,
    ) -> Result<Self, Error> {
        let published = path.metadata().map_err(Error::cannot_read(&path))?.len();
        Ok(Self {
            file,
            path,
            cluster,
            published,
        })
    }

    fn publish(&mut self) -> Result<(), Error> {
        let mut lines = Vec::new();
        let read = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(self.published))?;
            file.read_to_end(&mut lines)
        });
        read.map_err(Error::cannot_read(&self.path))?;
        if lines.is_empty() {
            return Ok(());
        }
        let published = self.cluster.publish(&lines);
        published.map_err(|why| Error::Unshared { why })?;
        self.published += lines.len() as u64;
        Ok(())
    }
}

impl Append for PublishedJournal {
    fn write(&mut self, at: Millis, events: Vec<Event>) -> Result<Vec<RecordedEvent>, Error> {
        self.file.write(at, events)
    }

    fn sync(&mut self) -> Result<(), Error> {
        self.file.sync()?;
        self.publish()
    }

    fn close(&mut self) -> Result<(), Error> {
        self.publish()?;
        self.file.close()
    }
}
