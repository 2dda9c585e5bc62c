//! Runs that a long-lived process keeps in memory: it reads only what was appended to their journals since.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use signoff_engine::{Millis, Run};
use signoff_store::journal::Follower;

use super::replay::Replay;
use super::report::JournalReport;
use super::view::RunView;
use crate::drive::journal::parse_event;
use crate::error::Error;
use crate::project::Project;

/// Runs that are kept at most.
pub(super) const MOST: usize = 64;
/// Bytes of their journals: about as much memory as their states and reports take.
const LARGEST: u64 = 128 << 20;

/// A run as far as its journal was read.
#[derive(Debug)]
pub(super) struct CachedRunState {
    pub(super) run: Arc<Run>,
    pub(super) began: Millis,
    pub(super) last: Millis,
    pub(super) last_seq: u64,
    pub(super) key: String,
    pub(super) path: PathBuf,
    pub(super) terms: Value,
}

/// The reader of a run's journal, at its present position.
#[derive(Debug)]
pub(super) struct RunReader {
    replay: Replay,
    journal: Follower,
    /// Of the first and the last event.
    times: Option<(Millis, Millis)>,
    last_seq: u64,
    report: Option<ReportReader>,
}

/// What the same journal says step by step, as far as it was read for that.
#[derive(Debug)]
struct ReportReader {
    report: JournalReport,
    journal: Follower,
}

impl RunReader {
    /// Reads a run from its first event on.
    pub(super) fn of(project: &Project, id: &str) -> Result<Self, Error> {
        let replay = Replay::begin(project, id)?;
        let journal = Follower::new(&project.store.run_dir(id).journal());
        let mut reading = Self {
            replay,
            journal,
            times: None,
            last_seq: 0,
            report: None,
        };
        reading.read_appended(project)?;
        Ok(reading)
    }

    /// Reads what was appended since.
    fn read_appended(&mut self, project: &Project) -> Result<(), Error> {
        let (replay, times, last_seq) = (&mut self.replay, &mut self.times, &mut self.last_seq);
        self.journal.read_whole(|line| {
            let recorded = parse_event(line)?;
            *last_seq = recorded.seq;
            let (first, _) = times.unwrap_or((recorded.at, recorded.at));
            *times = Some((first, recorded.at));
            replay.apply(project, &recorded)
        })
    }

    pub(super) fn state(&self) -> CachedRunState {
        let (began, last) = self
            .times
            .expect("a run that is replayed has a first event");
        CachedRunState {
            run: Arc::clone(&self.replay.run),
            began,
            last,
            last_seq: self.last_seq,
            key: self.replay.key.clone(),
            path: self.replay.path.clone(),
            terms: self.replay.terms.clone(),
        }
    }

    /// What the journal says step by step. It is read anew if the run has other steps than before.
    fn read_report(&mut self, project: &Project, view: &RunView) -> Result<&JournalReport, Error> {
        let begun = self.report.take().filter(|read| read.report.is_of(view));
        let mut read = begun.unwrap_or_else(|| ReportReader {
            report: JournalReport::new(view, project),
            journal: Follower::new(&project.store.run_dir(view.run.id()).journal()),
        });
        let report = &mut read.report;
        read.journal.read_whole(|line| {
            report.add(&parse_event(line)?);
            Ok::<_, Error>(())
        })?;
        Ok(&self.report.insert(read).report)
    }
}

/// The runs that were read last.
#[derive(Debug, Default)]
pub(crate) struct RunCache(Mutex<Vec<CachedRun>>);

#[derive(Debug, Clone)]
struct CachedRun {
    id: String,
    /// Bytes of its journal.
    bytes: u64,
    reading: Arc<Mutex<Option<RunReader>>>,
}

impl RunCache {
    /// Those of this project, if a long-lived process keeps it.
    pub(super) fn of(project: &Project) -> Option<Arc<Self>> {
        Some(project.kept_values.as_ref()?.get())
    }

    /// The run as it is now.
    pub(super) fn read(&self, project: &Project, id: &str) -> Result<CachedRunState, Error> {
        self.with_run(project, id, |reading| Ok(reading.state()))
    }

    /// Looks at what its journal says step by step.
    pub(super) fn report<T>(
        &self,
        project: &Project,
        view: &RunView,
        look: impl FnOnce(&JournalReport) -> T,
    ) -> Result<T, Error> {
        self.with_run(project, view.run.id(), |reading| {
            reading.read_report(project, view).map(look)
        })
    }

    fn with_run<T>(
        &self,
        project: &Project,
        id: &str,
        look: impl FnOnce(&mut RunReader) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let kept = self.entry(id);
        let mut place = lock(&kept.reading);
        // Removed from the cache while it is read: a reading that fails or panics half-way is not used again.
        let before = place.take().and_then(|mut reading| {
            let is_read = reading.read_appended(project).is_ok();
            is_read.then_some(reading)
        });
        let mut reading = match before {
            Some(reading) => reading,
            None => RunReader::of(project, id)?,
        };
        let bytes = reading.journal.length();
        let found = look(&mut reading)?;
        *place = Some(reading);
        drop(place);
        self.insert(CachedRun { bytes, ..kept });
        Ok(found)
    }

    fn entry(&self, id: &str) -> CachedRun {
        let kept = lock(&self.0);
        let known = kept.iter().find(|kept| kept.id == id).cloned();
        known.unwrap_or_else(|| CachedRun {
            id: id.to_owned(),
            bytes: 0,
            reading: Arc::default(),
        })
    }

    /// As the newest of those that are kept; the oldest leave.
    fn insert(&self, new: CachedRun) {
        let mut kept = lock(&self.0);
        kept.retain(|one| one.id != new.id);
        kept.push(new);
        while kept.len() > 1
            && (kept.len() > MOST || kept.iter().map(|one| one.bytes).sum::<u64>() > LARGEST)
        {
            kept.remove(0);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A half-read run is never in it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
