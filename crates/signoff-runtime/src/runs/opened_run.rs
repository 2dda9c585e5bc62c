//! A run whose lock this process holds, in the state that its journal records.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{InboxItem, InboxKind, Input, Outcome, PlanState, Run};
use signoff_store::lock::{RunLock, WorkspaceLock};
use signoff_store::runs::RunDir;
use signoff_store::{atomic, failpoint, plan_log};

use super::day_costs::DayCosts;
use super::marks::{Execution, Projection, Times};
use super::replay::{Replay, require_run};
use super::{lost_attempts, merges, remote};
use crate::clock::Clock;
use crate::drive::forwarded_journal::ForwardedJournal;
use crate::drive::journal::torn_note;
use crate::drive::published_journal::PublishedJournal;
use crate::drive::{Append, FileJournal, JournaledRun};
use crate::error::Error;
use crate::plan_file::SignedText;
use crate::plan_history;
use crate::plan_history::PlanHistory;
use crate::project::locks::take_run;
use crate::project::{Project, current_task};

/// A run under its lock: no other process drives, records or lands it.
pub(crate) struct OpenedRun<'a> {
    pub(crate) project: &'a Project,
    pub(crate) clock: &'a dyn Clock,
    pub(crate) id: String,
    pub(crate) run: JournaledRun<'a>,
    pub(crate) dir: RunDir,
    /// When it started, and ended if it has.
    pub(crate) times: Times,
    /// The plan's name in the store, and its file.
    pub(crate) key: String,
    pub(crate) plan: PathBuf,
    /// Terms of the version it is at.
    pub(crate) terms: Value,
    /// Versions of the plan that it went through.
    pub(crate) versions: usize,
    /// The signed text of the plan's file.
    pub(crate) text: SignedText,
    /// What it cost, by day.
    pub(crate) costs: DayCosts,
    /// A note about the part of the journal's last line that a crash left.
    pub(crate) torn: Option<String>,
    pub(crate) _run_lock: RunLock,
    pub(crate) workspace_lock: Option<WorkspaceLock>,
}

impl<'a> OpenedRun<'a> {
    pub(crate) fn open(
        project: &'a Project,
        id: &str,
        clock: &'a dyn Clock,
    ) -> Result<Self, Error> {
        let dir = project.store.run_dir(id);
        require_run(project, id, &dir)?;
        let run_lock = take_run(&dir, id)?;
        remote::sync(project, &dir, id)?;
        let mut replay = Replay::begin(project, id)?;
        let mut times = Times::default();
        let (mut costs, mut last) = (DayCosts::default(), 0);
        let durability = project.config.run.durability.value;
        let journal = FileJournal::open(&dir.journal(), durability, |recorded| {
            times.note(&recorded);
            costs.note(&recorded);
            last = recorded.seq;
            replay.apply(project, &recorded)
        })?;
        let history = PlanHistory::read(project, &replay.key)?;
        history.refuse_if_cut(&replay.run)?;
        lost_attempts::refuse_if_lost(project, &dir, &replay.run)?;
        // A crash right after the first event left it.
        dir.mark_begun()?;
        let torn = journal.torn_line().map(|torn| torn_note("journal", torn));
        let journal: Box<dyn Append> = match (&project.cluster, remote::remote_access(project, id)?)
        {
            (Some(cluster), _) => {
                let cluster = Arc::clone(cluster);
                Box::new(PublishedJournal::new(journal, dir.journal(), cluster)?)
            }
            (None, Some(elsewhere)) => {
                let path = dir.journal();
                Box::new(ForwardedJournal::new(elsewhere, id, path, last))
            }
            (None, None) => Box::new(journal),
        };
        Ok(Self {
            project,
            clock,
            torn,
            id: id.to_owned(),
            run: JournaledRun::with_journal(Arc::unwrap_or_clone(replay.run), journal, clock),
            dir,
            times,
            key: replay.key,
            plan: replay.path,
            terms: replay.terms,
            versions: replay.versions,
            text: replay.text,
            costs,
            _run_lock: run_lock,
            workspace_lock: None,
        })
    }

    /// Its state.
    pub(crate) fn state(&self) -> &Run {
        self.run.state()
    }

    /// Records a person's decision about a run that no process drives. It takes effect when the run is resumed.
    pub(crate) fn record(
        project: &'a Project,
        id: &str,
        input: Input,
        clock: &'a dyn Clock,
    ) -> Result<(), Error> {
        let mut opened = Self::open(project, id, clock)?;
        opened.refuse_if_undone()?;
        PlanHistory::read(project, &opened.key)?.refuse_if_over(id)?;
        let aborts = matches!(input, Input::Abort { .. });
        if let Some(outcome) = opened.state().outcome().filter(|_| aborts) {
            return Err(Error::already_finished(opened.state(), outcome));
        }
        opened.refuse_without_agent(&input)?;
        opened.end_leftovers()?;
        if aborts {
            opened.finish_merges()?;
        }
        failpoint::reach("answer.before");
        let times = &mut opened.times;
        opened.run.write(input, |_, recorded| {
            times.note(recorded);
            Ok(())
        })?;
        opened.run.sync()?;
        opened.run.close()?;
        failpoint::reach("answer.after");
        if let Some(outcome) = opened.state().outcome() {
            log_end(project, &opened.key, opened.state(), outcome, clock)?;
        }
        opened.mark_projection().write(opened.state(), clock.now());
        Ok(())
    }

    /// Updates the marks and the log of a run that has ended: it may have been killed between its last
    /// event and its last mark.
    pub(crate) fn finish_bookkeeping(&mut self, outcome: Outcome) -> Result<(), Error> {
        self.run.close()?;
        atomic::remove_stray_temp(&self.plan)?;
        self.mark_projection()
            .write(self.run.state(), self.clock.now());
        let (project, key) = (self.project, &self.key);
        if !PlanHistory::read(project, key)?.records_end_of(&self.id) {
            return log_end(project, key, self.state(), outcome, self.clock);
        }
        let lock = plan_log::lock(&project.store, key)?;
        plan_log::record_end(&project.store, key, &lock)?;
        Ok(())
    }

    /// Records merges that took place and were not journaled.
    fn finish_merges(&mut self) -> Result<(), Error> {
        let begun = merges::begun_merges(self.state());
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
    pub(crate) fn refuse_if_undone(&self) -> Result<(), Error> {
        if self.state().is_undone() {
            let run = self.id.clone();
            return Err(Error::Undone { run });
        }
        Ok(())
    }

    /// An agent waits for its answer only as long as a process drives it.
    fn refuse_without_agent(&self, input: &Input) -> Result<(), Error> {
        let Input::Answer { item, .. } = input else {
            return Ok(());
        };
        let asks = |open: &InboxItem| open.id == *item && open.kind == InboxKind::Permission;
        if self.state().items().any(asks) {
            let run = self.id.clone();
            return Err(Error::AgentGone { run });
        }
        Ok(())
    }

    /// What marks the plan's file.
    pub(crate) fn mark_projection(&self) -> Projection {
        let execution = Execution::new(self.project, &self.key, &self.dir, self.times);
        let text = self.text.clone();
        Projection::new(self.plan.clone(), execution, text, self.project.secrets())
    }
}

/// Writes the outcome of a run into the plan's log. The run's journal decides; this is only for readers of the log.
pub(crate) fn log_end(
    project: &Project,
    key: &str,
    run: &Run,
    outcome: Outcome,
    clock: &dyn Clock,
) -> Result<(), Error> {
    let digest = run.signed_plan().digest().to_string();
    let run = run.id().to_owned();
    let (event, state) = match outcome {
        Outcome::Completed | Outcome::Partial => (
            PlanEvent::PlanCompleted { digest, run },
            PlanState::Completed,
        ),
        Outcome::Failed => (PlanEvent::PlanFailed { digest, run }, PlanState::Failed),
    };
    current_task::update_status(project, key, state)?;
    plan_history::append_event(project, key, &event, clock)
}
