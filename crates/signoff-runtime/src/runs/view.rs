//! A run as its journal records it, read only.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use signoff_api::usage::UsageTotals;
use signoff_engine::{Event, InboxItem, InboxKind, Millis, PauseReason, PlanState, Run, RunFact};
use signoff_store::runs::{RunDir, list};

use super::names::run_named;
use super::progress::agents_at_work;
use super::questions::{question, question_with_patches};
use super::remote;
use super::replay::unknown_run;
use super::run_cache::{CachedRunState, RunCache, RunReader};
pub use super::stream_event::{plan_created, stream_event};
use super::worktrees::RunWorktrees;
use crate::clock::timestamp;
use crate::drive::journal::read_events;
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::project::Project;
use crate::project::locks::is_driven;

/// A run's name, and the run or why it cannot be read.
pub type NamedRunView = (String, Result<RunView, Error>);

/// One run, read and not touched.
#[derive(Debug)]
pub struct RunView {
    /// Its state.
    pub run: Arc<Run>,
    /// When its first event happened.
    pub began: Millis,
    /// When its last event so far happened.
    pub last: Millis,
    /// The number of that event.
    pub last_seq: u64,
    /// The plan's name in the store.
    pub key: String,
    /// The plan's file.
    pub plan_path: PathBuf,
    /// Terms it runs under.
    pub terms: Value,
    /// Does a process drive it now?
    pub driven: bool,
    /// A process holds it, and has shown no sign of life for too long.
    pub is_hung: bool,
    /// Where its worktrees are.
    pub worktrees: RunWorktrees,
    /// It was abandoned, or another run of the plan replaced it.
    pub over: bool,
    /// Its plan was cancelled or is run from scratch, or another run of it came after this one: even if it failed, it
    /// cannot go on.
    pub is_closed: bool,
    dir: RunDir,
}

impl RunView {
    /// Reads a run.
    pub fn load(project: &Project, id: &str) -> Result<Self, Error> {
        let dir = project.store.run_dir(id);
        let driven_elsewhere = remote::sync(project, &dir, id)?;
        let CachedRunState {
            mut run,
            began,
            last,
            last_seq,
            key,
            path,
            terms,
        } = match RunCache::of(project) {
            Some(kept) => kept.read(project, id)?,
            None => RunReader::of(project, id)?.state(),
        };
        let is_held = driven_elsewhere || is_driven(&dir.lock())?;
        let is_hung = is_held && !driven_elsewhere && is_unresponsive(project, &dir);
        // An unreadable log is reported by the commands that change the plan.
        let history = PlanHistory::read(project, &key).unwrap_or_default();
        history.refuse_if_cut(&run)?;
        let is_closed = history.refuse_if_over(id).is_err();
        let over = is_closed && run.outcome().is_none();
        if over {
            Arc::make_mut(&mut run).give_up();
        }
        Ok(Self {
            worktrees: RunWorktrees::of(project, id, run.in_worktrees()),
            over,
            is_closed,
            run,
            began,
            last,
            last_seq,
            key,
            plan_path: path,
            terms,
            driven: is_held && !is_hung,
            is_hung,
            dir,
        })
    }

    /// Every run that began, oldest first; one that cannot be read hides no other.
    pub fn load_all(project: &Project) -> Result<Vec<NamedRunView>, Error> {
        let entries = list(&project.store)?.into_iter();
        let views = entries.map(|entry| {
            let view = Self::load(project, &entry.id);
            (entry.id, view)
        });
        let begun = views.filter(|(_, view)| !matches!(view, Err(Error::NeverBegun { .. })));
        Ok(begun.collect())
    }

    /// The newest run.
    pub fn newest(project: &Project) -> Result<Option<Self>, Error> {
        for entry in list(&project.store)?.into_iter().rev() {
            match Self::load(project, &entry.id) {
                Ok(view) => return Ok(Some(view)),
                // Never got as far as its first event: nothing happened in it.
                Err(Error::NeverBegun { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// The name of the newest run, without reading it.
    pub fn newest_id(project: &Project) -> Result<String, Error> {
        let mut entries = list(&project.store)?.into_iter().rev();
        // A damaged one is found too: whoever reads it says so.
        if let Some(entry) = entries.find(|entry| !entry.dir.never_began()) {
            return Ok(entry.id);
        }
        Err(unknown_run(project, None))
    }

    /// The run of this name, of an unambiguous part of it, or of this plan; without a name, the newest.
    pub fn find(project: &Project, id: Option<&str>) -> Result<Self, Error> {
        match id {
            Some(id) => Self::load(project, &run_named(project, id)?),
            None => Self::newest(project)?.ok_or_else(|| unknown_run(project, None)),
        }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.over || self.run.is_undone() || self.run.outcome().is_some()
    }

    /// What the lifecycle of the plan needs to know of this run.
    pub fn run_fact(&self) -> RunFact {
        RunFact {
            outcome: self.run.outcome(),
            is_attended: self.driven || self.run.pause_reason() == Some(PauseReason::Waiting),
            is_replanning: self.run.is_replanning(),
        }
    }

    /// State of the plan according to this run.
    pub fn state(&self) -> PlanState {
        if self.over {
            return PlanState::Cancelled;
        }
        let known = signoff_engine::PlanFlags {
            needs_person: false,
            has_errors: false,
            signed: true,
        };
        signoff_engine::derive(known, [signoff_engine::PlanFact::Run(self.run_fact())])
    }

    /// The shape `status` prints.
    pub fn to_api(&self) -> signoff_api::run::Run {
        self.with_steps(self.run.order())
    }

    /// The same with the steps at these positions alone.
    pub(super) fn with_steps(
        &self,
        positions: impl Iterator<Item = usize>,
    ) -> signoff_api::run::Run {
        signoff_api::run::Run {
            schema: signoff_api::run::SCHEMA.to_owned(),
            run: self.run.id().to_owned(),
            plan: self.key.clone(),
            title: self.run.plan().display_title().to_owned(),
            status: self.state().name().to_owned(),
            outcome: self.run.outcome(),
            paused: self.run.pause_reason().filter(|_| !self.has_ended()),
            digest: self.run.signed_plan().digest().to_string(),
            terms: self.run.signed_plan().terms().to_string(),
            started_at: timestamp(self.began),
            updated_at: timestamp(self.last),
            progress: self.run.progress(),
            isolation: Some(self.run.settings().isolation),
            branch: self.branch(),
            worktree: self.worktrees.run_tree().map(display_path),
            landed: self.run.landed_commit().map(str::to_owned),
            undone: self.run.is_undone(),
            held: self.held_files().to_vec(),
            usage: UsageTotals::of(self.run.usage_sums()),
            at_work: if self.driven {
                agents_at_work(&self.run, &self.dir)
            } else {
                Vec::new()
            },
            steps: signoff_api::run::RunStep::of(
                &self.run,
                positions,
                self.driven,
                |at| self.worktrees.of_step(&self.run, at).map(display_path),
                timestamp,
            ),
            inbox: self.inbox_items(),
        }
    }

    /// The branch that has its commits, as people name it.
    pub fn branch(&self) -> Option<String> {
        let branch = self.run.run_tree()?.branch.as_deref()?;
        if self.run.lands_files() {
            // Its commits are the harness's own.
            return None;
        }
        Some(branch.trim_start_matches("refs/heads/").to_owned())
    }

    /// The files that could not be written to the checkout; none, once the run was undone.
    pub fn held_files(&self) -> &[String] {
        if self.run.is_undone() {
            return &[];
        }
        self.run.held_files()
    }

    /// The files that a person can settle now: while a run goes on it tries again by itself.
    pub fn files_to_settle(&self) -> Option<signoff_api::inbox::HeldFiles> {
        let files = self.held_files();
        let is_due = (self.over || self.run.outcome().is_some()) && !files.is_empty();
        is_due.then(|| signoff_api::inbox::HeldFiles {
            run: self.run.id().to_owned(),
            title: self.run.plan().display_title().to_owned(),
            files: files.to_vec(),
        })
    }

    /// What waits on a person: nothing, once the run has come to an end with it open.
    pub fn inbox_items(&self) -> Vec<signoff_api::inbox::Item> {
        if self.has_ended() {
            return Vec::new();
        }
        let item = |item| question(&self.run, item, &self.worktrees);
        self.open_items().map(item).collect()
    }

    /// How many items wait on a person: as many as [`Self::inbox_items`] has.
    pub fn question_count(&self) -> usize {
        if self.has_ended() {
            return 0;
        }
        self.open_items().count()
    }

    /// An agent's question is open only while the agent is there.
    fn open_items(&self) -> impl Iterator<Item = &InboxItem> {
        let is_open = |item: &&InboxItem| self.driven || item.kind != InboxKind::Permission;
        self.run.items().filter(is_open)
    }

    /// The same with the differences that git has of the steps' work.
    pub fn items_with_patches(&self, project: &Project) -> Vec<signoff_api::inbox::Item> {
        if self.has_ended() {
            return Vec::new();
        }
        let item = |item| question_with_patches(project, &self.run, item, &self.worktrees);
        self.open_items().map(item).collect()
    }
}

fn display_path(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

/// Hands over every event of a run, oldest first.
pub fn each_event(project: &Project, id: &str, mut each: impl FnMut(&Event)) -> Result<(), Error> {
    let journal = project.store.run_dir(id).journal();
    read_events(&journal, |recorded| {
        each(&recorded.event);
        Ok(())
    })
}

/// Has the process that drives this run shown no sign of life for too long? It hangs, or is on a machine that was
/// put to sleep. It writes the journal, or touches the lock while it waits.
fn is_unresponsive(project: &Project, dir: &RunDir) -> bool {
    let patience = Duration::from_secs(project.rules.silent_minutes.saturating_mul(60));
    let written = |path: &Path| std::fs::metadata(path).and_then(|found| found.modified());
    let signs = [dir.journal(), dir.lock()];
    let last = signs.iter().filter_map(|path| written(path).ok()).max();
    last.and_then(|at| at.elapsed().ok())
        .is_some_and(|since| since > patience)
}
