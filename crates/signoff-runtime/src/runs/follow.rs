//! Follows a run while another process drives it.

use std::path::PathBuf;
use std::time::Duration;

use signoff_engine::{RecordedEvent, Run};
use signoff_store::journal::Follower;

use super::remote;
use super::replay::Replay;
use crate::drive::journal::parse_event;
use crate::error::Error;
use crate::project::Project;
use crate::project::locks::is_driven;

/// How often to look for new events.
pub const TICK: Duration = crate::drive::request::TICK;

/// A run being watched from its first event on.
#[derive(Debug)]
pub struct Follow<'a> {
    project: &'a Project,
    replay: Replay,
    journal: Follower,
    lock: PathBuf,
    run: String,
}

/// Will there be more?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FollowState {
    /// A process drives the run.
    More,
    /// No process does: it has ended, pauses, or was cut off.
    Over,
}

impl<'a> Follow<'a> {
    /// Watches a run.
    pub fn of(project: &'a Project, run: &str) -> Result<Self, Error> {
        let dir = project.store.run_dir(run);
        Ok(Self {
            project,
            replay: Replay::begin(project, run)?,
            journal: Follower::new(&dir.journal()),
            lock: dir.lock(),
            run: run.to_owned(),
        })
    }

    /// Passes on each event since the last call, with the state right after it. Does not wait.
    pub fn read_new(
        &mut self,
        mut each: impl FnMut(&Run, &RecordedEvent),
    ) -> Result<FollowState, Error> {
        // Read before the journal: a process that released the lock has written its last event.
        let dir = self.project.store.run_dir(&self.run);
        let elsewhere = remote::sync(self.project, &dir, &self.run)?;
        let driven = elsewhere || is_driven(&self.lock)?;
        let (project, replay) = (self.project, &mut self.replay);
        self.journal.read_new(|line| {
            let recorded = parse_event(line)?;
            replay.apply(project, &recorded)?;
            each(&replay.run, &recorded);
            Ok::<_, Error>(())
        })?;
        Ok(if driven {
            FollowState::More
        } else {
            FollowState::Over
        })
    }
}
