//! Passes a run's events to telemetry, if it is configured.

use std::path::PathBuf;

use signoff_engine::{RecordedEvent, Run};

use crate::drive::Observe;
use crate::drive::journal::read_events;
use crate::error::Error;
use crate::project::Project;
use crate::telemetry::FollowRun;

/// One run.
pub(super) struct TelemetryObserver {
    follower: Box<dyn FollowRun>,
    /// What happened before is read from here, with the first event.
    journal: Option<PathBuf>,
}

impl TelemetryObserver {
    pub(super) fn new(project: &Project, run: &str) -> Option<Self> {
        let telemetry = project.process.services.telemetry.as_ref()?;
        Some(Self {
            follower: telemetry.follow(run),
            journal: Some(project.store.run_dir(run).journal()),
        })
    }
}

impl Observe for TelemetryObserver {
    fn event(&mut self, _: &Run, recorded: &RecordedEvent) -> Result<(), Error> {
        if let Some(journal) = self.journal.take() {
            // The run does not depend on telemetry.
            let read = read_events(&journal, |earlier| {
                if earlier.seq < recorded.seq {
                    self.follower.replay_event(&earlier);
                }
                Ok(())
            });
            drop(read);
        }
        self.follower.event(recorded);
        Ok(())
    }
}
