//! A run whose lock this process has, in the state that its journal tells.

use std::path::PathBuf;

use serde_json::Value;
use signoff_engine::{Input, Outcome, Run};
use signoff_store::lock::{RunLock, WorkspaceLock};
use signoff_store::runs::RunDir;
use signoff_store::{atomic, failpoint, plan_log};

use super::{log_end, merges};
use crate::clock::Clock;
use crate::error::Error;
use crate::journal::FileJournal;
use crate::journaled_run::JournaledRun;
use crate::locks::take_run;
use crate::marks::{Execution, Projection, Times};
use crate::plans::History;
use crate::project::Project;
use crate::signed_text::SignedText;
use crate::snapshot::Replay;
use crate::view::View;

/// A run that nobody else drives, records or lands while this value lives.
pub(crate) struct OpenedRun<'a> {
    pub(super) project: &'a Project,
    pub(super) clock: &'a dyn Clock,
    pub(super) id: String,
    pub(super) run: JournaledRun<'a>,
    pub(super) dir: RunDir,
    /// When it started, and ended if it has.
    pub(super) times: Times,
    /// The plan's name in the store, and its file.
    pub(super) key: String,
    pub(super) plan: PathBuf,
    /// Terms of the version it is at.
    pub(super) terms: Value,
    /// Versions of the plan that it went through.
    pub(super) versions: usize,
    /// What the plan's file says that was signed.
    pub(super) text: SignedText,
    pub(super) _run_lock: RunLock,
    pub(super) workspace_lock: Option<WorkspaceLock>,
}

impl<'a> OpenedRun<'a> {
    pub(super) fn open(
        project: &'a Project,
        id: &str,
        clock: &'a dyn Clock,
    ) -> Result<Self, Error> {
        let dir = project.store.run_dir(id);
        if !dir.path().is_dir() {
            return Err(View::unknown(project, Some(id)));
        }
        let run_lock = take_run(&dir, id)?;
        let mut replay = Replay::begin(project, id)?;
        let mut times = Times::default();
        let durability = project.config.run.durability.value;
        let journal = FileJournal::open(&dir.journal(), durability, |recorded| {
            times.note(&recorded);
            replay.apply(&recorded)
        })?;
        Ok(Self {
            project,
            clock,
            id: id.to_owned(),
            run: JournaledRun::new(replay.run, journal, clock),
            dir,
            times,
            key: replay.key,
            plan: replay.path,
            terms: replay.terms,
            versions: replay.versions,
            text: replay.text,
            _run_lock: run_lock,
            workspace_lock: None,
        })
    }

    /// Its state.
    pub(super) fn state(&self) -> &Run {
        self.run.state()
    }

    /// Records something that a person decided about a run that nobody drives. It goes on when it is resumed.
    pub(crate) fn record(
        project: &'a Project,
        id: &str,
        input: Input,
        clock: &'a dyn Clock,
    ) -> Result<(), Error> {
        let mut opened = Self::open(project, id, clock)?;
        opened.refuse_if_undone()?;
        History::read(project, &opened.key)?.refuse_if_over(id)?;
        let aborts = matches!(input, Input::Abort { .. });
        if let Some(outcome) = opened.state().outcome().filter(|_| aborts) {
            return Err(Error::already_finished(opened.state(), outcome));
        }
        opened.end_leftovers()?;
        if aborts {
            opened.finish_merges()?;
        }
        failpoint::reached("answer.before");
        opened.run.record(input)?;
        opened.run.close()?;
        failpoint::reached("answer.after");
        if let Some(outcome) = opened.state().outcome() {
            log_end(project, &opened.key, opened.state(), outcome, clock)?;
        }
        opened.marks().write(opened.state(), clock.now());
        Ok(())
    }

    /// Brings up to date what tells of a run that has ended: it may have been killed between its last
    /// event and its last mark.
    pub(super) fn settle(&mut self, outcome: Outcome) -> Result<(), Error> {
        self.run.close()?;
        atomic::remove_stray_temp(&self.plan)?;
        self.marks().write(self.run.state(), self.clock.now());
        let (project, key) = (self.project, &self.key);
        if !History::read(project, key)?.tells_end_of(&self.id) {
            return log_end(project, key, self.state(), outcome, self.clock);
        }
        let lock = plan_log::lock(&project.store, key)?;
        plan_log::record_end(&project.store, key, &lock)?;
        Ok(())
    }

    /// Records merges that took place and were not journaled.
    fn finish_merges(&mut self) -> Result<(), Error> {
        let begun = merges::begun(self.state());
        if begun.is_empty() {
            return Ok(());
        }
        let Some(trees) = self.trees()? else {
            return Ok(());
        };
        for merged in merges::finish(self.state(), &trees, &begun) {
            self.run.record(merged)?;
        }
        Ok(())
    }

    /// A run that was undone does not go on.
    pub(super) fn refuse_if_undone(&self) -> Result<(), Error> {
        if self.state().undone() {
            let run = self.id.clone();
            return Err(Error::Undone { run });
        }
        Ok(())
    }

    /// What marks the plan's file.
    pub(super) fn marks(&self) -> Projection {
        let execution = Execution::new(self.project, &self.key, &self.dir, self.times);
        let text = self.text.clone();
        Projection::new(self.plan.clone(), execution, text, self.project.secrets())
    }
}
