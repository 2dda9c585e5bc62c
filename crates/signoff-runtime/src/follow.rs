//! A run as it happens, for whoever watches from another process.

use std::path::PathBuf;
use std::time::Duration;

use signoff_engine::{Recorded, Run, apply};
use signoff_store::journal::Follower;
use signoff_store::lock::is_held;

use crate::error::Error;
use crate::journal::recorded;
use crate::project::Project;
use crate::view::View;

/// How often to look for what is new.
pub const TICK: Duration = crate::control::TICK;

/// A run being watched from its first event on.
#[derive(Debug)]
pub struct Follow {
    run: Run,
    journal: Follower,
    lock: PathBuf,
}

/// Will there be more?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// Somebody drives the run.
    More,
    /// Nobody does: it has ended, pauses, or was cut off.
    Over,
}

impl Follow {
    /// Watches a run that was found.
    pub fn of(project: &Project, view: &View) -> Self {
        let dir = project.store.run_dir(view.run.id());
        Self {
            run: Run::new(view.run.signed().clone()),
            journal: Follower::new(&dir.journal()),
            lock: dir.lock(),
        }
    }

    /// Hands on each event since the last time, with the state as it was then. Does not wait.
    pub fn look(&mut self, mut each: impl FnMut(&Run, &Recorded)) -> Result<Then, Error> {
        // Before the journal: what whoever let go of the run wrote last is there by now.
        let driven = is_held(&self.lock).unwrap_or(false);
        let run = &mut self.run;
        self.journal.more(|line| {
            let recorded = recorded(line)?;
            apply(run, &recorded);
            each(run, &recorded);
            Ok::<_, Error>(())
        })?;
        Ok(if driven { Then::More } else { Then::Over })
    }
}
