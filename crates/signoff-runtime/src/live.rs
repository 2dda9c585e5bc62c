//! A run under way: sets up what the loop drives, for a new run and for one that goes on.

pub mod landing;
mod leftovers;
mod merges;
mod options;
mod place;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use signoff_api::plan_log::PlanEvent;
use signoff_engine::{
    Act, Actor, Bounds, Event, Input, Isolation, Millis, Outcome, PlanState, Recorded, Run,
    Settings, after, apply,
};
use signoff_plan::digest::canonical;
use signoff_plan::model::Plan;
use signoff_store::journal::Journal;
use signoff_store::lock::{RunLock, WorkspaceLock};
use signoff_store::runs::{self, RunDir, new_run_id};
use signoff_store::{atomic, failpoint, plan_log};
use signoff_work::beneath::remove_tree;
use signoff_work::git::Repository;

pub(crate) use self::leftovers::{clear_leftovers, end_leftovers_of};
pub use self::options::{Limit, Options};
use self::options::{bounds, settings};
use crate::clock::{Clock, timestamp};
use crate::drive::{Loop, Observe, Person, Stopped};
use crate::error::Error;
use crate::journal::{Append, FileJournal};
use crate::landing::Landing;
use crate::local::{Interrupt, Local};
use crate::locks::{take_run, take_start, take_workspace};
use crate::marks::{Execution, Projection, Times};
use crate::notify::Notify;
use crate::plan_file::PlanFile;
use crate::plans::held::Held;
use crate::plans::history::body;
use crate::plans::{Doing, History, current_task};
use crate::project::{Project, random, relative};
use crate::proof::{Counted, counted_for_run};
use crate::snapshot::Replay;
use crate::view::View;
use crate::watch::Watch;
use crate::whereabouts::Whereabouts;
use crate::{confinement, levels, preflight, replan, snapshot, trees};

/// A run that this process owns.
pub struct Live<'a> {
    project: &'a Project,
    clock: &'a dyn Clock,
    run: Run,
    dir: RunDir,
    /// When it started, and ended if it has.
    times: Times,
    key: String,
    plan: PathBuf,
    /// How messages call the plan.
    name: String,
    terms: Value,
    journal: FileJournal,
    /// What the loop is told first.
    first: Input,
    /// Versions of the plan that it went through.
    versions: usize,
    /// What the loop is told then, if the run goes on under another one.
    replan: Option<Input>,
    /// How far it is to go.
    bounds: Bounds,
    /// The repository around the checkout, if git can tell what it looks like.
    repository: Option<Repository>,
    /// What a person should know about where it works.
    note: Option<String>,
    /// Held as long as the run is.
    _run_lock: RunLock,
    workspace_lock: Option<WorkspaceLock>,
}

impl std::fmt::Debug for Live<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live")
            .field("run", &self.dir.path())
            .finish_non_exhaustive()
    }
}

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    /// Why the loop came back.
    pub stopped: Stopped,
    /// What became of its commits, if it has any to bring into the checkout.
    pub landing: Option<Landing>,
    /// Its last state.
    pub run: Run,
    /// Why marks could not be written, if so.
    pub trouble: Option<String>,
    /// Why nobody could be told that something waits on them.
    pub notes: Vec<String>,
}

impl<'a> Live<'a> {
    /// Prepares a new run of a signed plan: preflight, locks, snapshot, journal.
    pub fn start(
        project: &'a Project,
        plan: &PlanFile,
        actor: Actor,
        options: &Options,
        clock: &'a dyn Clock,
    ) -> Result<Self, Error> {
        project.require_trust()?;
        let doing = Doing {
            project,
            actor,
            clock,
        };
        // Nobody else does anything to the plan until its log says that it runs.
        let held = Held::open(doing, &plan.path, plan.source.name())?;
        preflight::may_start(&held)?;
        project.remember_id()?;
        let plan = &held.plan;
        preflight::supported(plan)?;
        preflight::verified(project, plan)?;
        preflight::programs(project, plan)?;
        confinement::require(project)?;
        let (path, key) = (plan.path.clone(), held.key.clone());
        let name = plan.source.name().to_owned();
        let signed = preflight::signed(project, plan)?;
        let run = Run::new(signed);
        // Before anything is written: nothing has begun if it cannot go that far.
        let bounds = bounds(&run, options)?;
        let signed = run.signed();
        let chosen = trees::choose(project, run.plan(), options.isolation)?;
        levels::require(project, run.plan(), options)?;
        let mut workspace_lock = match chosen.isolation {
            // It works beside whoever has the checkout.
            Isolation::Worktree => None,
            Isolation::Shared => Some(take_workspace(project).map_err(|error| match error {
                Error::WorkspaceTaken { holder, .. } => Error::WorkspaceTaken {
                    holder,
                    worktree: false,
                },
                error => error,
            })?),
        };
        // Two runs may start at once, and neither may take the other's directory for one that was left.
        let starting = take_start(project)?;
        let with_trees = |run: &str, dir: &Path| {
            trees::remove_never_begun(project, run);
            remove_tree(dir)
        };
        runs::remove_never_begun(&project.store, &starting, with_trees)?;
        let (id, dir) = new_dir(project)?;
        if let Some(lock) = &mut workspace_lock {
            lock.name_run(&id).map_err(Error::Sandbox)?;
        }
        let run_lock = take_run(&dir, &id)?;
        drop(starting);
        snapshot::save(&dir, plan)?;
        snapshot::keep_signature(project, &key, &dir, signed)?;
        let journal = FileJournal::new(
            Journal::create(&dir.journal())?,
            project.config.run.durability.value,
        );
        failpoint::reached("run.created");
        held.record(&[PlanEvent::PlanExecuting {
            path: relative(project, &path),
            digest: signed.digest().to_string(),
            run: id.clone(),
        }])?;
        let first = Input::Start {
            run: id,
            plan: key.clone(),
            path: relative(project, &path),
            digest: signed.digest().to_string(),
            terms: signed.terms().to_string(),
            settings: settings(project, options, (chosen.isolation, chosen.land))?,
        };
        let terms = project.present_terms(signed.plan(), &key)?;
        Ok(Self {
            project,
            clock,
            bounds,
            run,
            dir,
            times: Times::default(),
            key,
            plan: path,
            name,
            terms,
            journal,
            first,
            versions: 1,
            replan: None,
            repository: chosen.repository,
            note: chosen.note,
            _run_lock: run_lock,
            workspace_lock,
        })
    }

    /// Takes up a run that was paused, cut off, or has failed.
    pub fn resume(
        project: &'a Project,
        id: &str,
        actor: Actor,
        options: &Options,
        clock: &'a dyn Clock,
    ) -> Result<Self, Error> {
        project.require_trust()?;
        let mut live = Self::open(project, id, clock)?;
        live.refuse_if_undone()?;
        if !live.run.in_worktrees() {
            let mut workspace = take_workspace(project)?;
            workspace.name_run(id).map_err(Error::Sandbox)?;
            live.workspace_lock = Some(workspace);
        }
        History::read(project, &live.key)?.refuse_if_over(id)?;
        landing::refuse_if_checked_out(&live)?;
        if live.run.outcome() == Some(Outcome::Failed) {
            after(PlanState::Failed, Act::Resume, actor)?;
        }
        let can_go_on = matches!(live.run.outcome(), None | Some(Outcome::Failed));
        if !can_go_on || !live.take_next_version()? {
            preflight::still_signed(project, &live.key, live.run.signed())?;
        }
        let by = project.around.person.clone();
        live.first = match live.run.outcome() {
            None => Input::Resume { by },
            Some(Outcome::Failed) => Input::Reopen { by },
            Some(outcome @ (Outcome::Completed | Outcome::Partial)) => {
                live.settle(outcome)?;
                return Err(Error::already_finished(&live.run, outcome));
            }
        };
        live.bounds = bounds(&live.foreseen()?, options)?;
        levels::require_again(project, live.level(), !live.run.in_worktrees())?;
        live.end_leftovers()?;
        // A killed writer may have left its temporary file beside the plan.
        atomic::remove_stray_temp(&live.plan)?;
        failpoint::reached("resume.ready");
        Ok(live)
    }

    /// Brings up to date what tells of a run that has ended: it may have been killed between its last
    /// event and its last mark.
    fn settle(&mut self, outcome: Outcome) -> Result<(), Error> {
        self.journal.close()?;
        atomic::remove_stray_temp(&self.plan)?;
        self.marks().write(&self.run, self.clock.now());
        let (project, key) = (self.project, &self.key);
        if !History::read(project, key)?.tells_end_of(self.run.id()) {
            return ended(project, key, &self.run, outcome, self.clock);
        }
        let held = plan_log::lock(&project.store, key)?;
        plan_log::settle(&project.store, key, &held)?;
        Ok(())
    }

    /// Records something that a person decided about a run that nobody drives. It goes on when it is
    /// resumed.
    pub(crate) fn record(
        project: &'a Project,
        id: &str,
        input: Input,
        clock: &'a dyn Clock,
    ) -> Result<(), Error> {
        let mut live = Self::open(project, id, clock)?;
        live.refuse_if_undone()?;
        History::read(project, &live.key)?.refuse_if_over(id)?;
        if let (Some(outcome), Input::Abort { .. }) = (live.run.outcome(), &input) {
            return Err(Error::already_finished(&live.run, outcome));
        }
        live.end_leftovers()?;
        let now = clock.now();
        if let Input::Abort { .. } = input {
            live.finish_merges(now)?;
        }
        let events = signoff_engine::decide(&live.run, now, input)?;
        failpoint::reached("answer.before");
        live.append(now, events)?;
        live.journal.close()?;
        failpoint::reached("answer.after");
        if let Some(outcome) = live.run.outcome() {
            ended(project, &live.key, &live.run, outcome, clock)?;
        }
        live.marks().write(&live.run, now);
        Ok(())
    }

    fn append(&mut self, now: Millis, events: Vec<Event>) -> Result<(), Error> {
        for recorded in self.journal.append(now, events)? {
            apply(&mut self.run, &recorded);
        }
        Ok(())
    }

    /// Records merges that took place and were not told.
    fn finish_merges(&mut self, now: Millis) -> Result<(), Error> {
        let begun = merges::begun(&self.run);
        if begun.is_empty() {
            return Ok(());
        }
        let Some(trees) = self.trees(None, trees::Showing::Copies)? else {
            return Ok(());
        };
        for merged in merges::finish(&self.run, &trees, &begun) {
            let events = signoff_engine::decide(&self.run, now, merged)?;
            self.append(now, events)?;
        }
        Ok(())
    }

    /// Prepares to go on under another version of the plan, if there is one and somebody signed it.
    fn take_next_version(&mut self) -> Result<bool, Error> {
        let file = (self.plan.as_path(), self.name.as_str());
        let Some(next) = replan::next(self.project, &self.key, file, (&self.run, &self.terms))?
        else {
            return Ok(false);
        };
        // Kept first: until the journal names it, it is nobody's.
        let snapshot = snapshot::save_version(&self.dir, self.versions + 1, &next.plan)?;
        snapshot::keep_signature(self.project, &self.key, &self.dir, &next.signed)?;
        failpoint::reached("replan.kept");
        let jobs = u32::try_from(self.run.settings().jobs).ok();
        let options = Options {
            jobs,
            ..Options::default()
        };
        let now = self.run.settings();
        let place = (now.isolation, now.land);
        self.replan = Some(Input::Replan {
            snapshot,
            settings: settings(self.project, &options, place)?,
        });
        let executing = PlanEvent::PlanExecuting {
            path: relative(self.project, &self.plan),
            digest: next.signed.digest().to_string(),
            run: self.run.id().to_owned(),
        };
        log(self.project, &self.key, &executing, self.clock)?;
        self.terms = next.terms;
        self.run.offer(next.signed);
        Ok(true)
    }

    /// The run as it will be once it goes on: where steps are may change with the plan.
    fn foreseen(&self) -> Result<Run, Error> {
        let mut run = self.run.clone();
        let at = self.clock.now();
        let inputs = self.replan.iter().flat_map(|then| [&self.first, then]);
        for input in inputs {
            for event in signoff_engine::decide(&run, at, input.clone())? {
                apply(&mut run, &Recorded { seq: 0, at, event });
            }
        }
        Ok(run)
    }

    fn open(project: &'a Project, id: &str, clock: &'a dyn Clock) -> Result<Self, Error> {
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
            terms: replay.terms,
            key: replay.key,
            name: relative(project, &replay.path),
            plan: replay.path,
            run: replay.run,
            dir,
            times,
            journal,
            first: Input::Finish,
            versions: replay.versions,
            replan: None,
            bounds: Bounds::default(),
            repository: None,
            note: None,
            _run_lock: run_lock,
            workspace_lock: None,
        })
    }

    /// The run's name.
    pub fn id(&self) -> String {
        match &self.first {
            Input::Start { run, .. } => run.clone(),
            _ => self.run.id().to_owned(),
        }
    }

    /// The signature it runs under.
    pub fn signature(&self) -> Result<Counted, Error> {
        let signed = self.run.goes_on_under();
        let digests = (&signed.digest(), &signed.terms());
        counted_for_run(self.project, (&self.key, &self.dir), digests)
    }

    /// How messages call its plan.
    pub fn plan_name(&self) -> &str {
        &self.name
    }

    /// The plan it runs.
    pub fn plan(&self) -> &Plan {
        self.run.goes_on_under().plan()
    }

    /// What a person should know about where it works.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Where its trees are.
    pub fn whereabouts(&self) -> Whereabouts {
        let in_worktrees = self.settings().isolation == Isolation::Worktree;
        Whereabouts::of(self.project, &self.id(), in_worktrees)
    }

    /// Its state, as far as it has come.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The settings that it starts with or was started with.
    pub fn settings(&self) -> &Settings {
        match &self.first {
            Input::Start { settings, .. } => settings,
            _ => self.run.settings(),
        }
    }

    /// How strongly what it starts is confined.
    fn level(&self) -> &str {
        match &self.replan {
            Some(Input::Replan { settings, .. }) => &settings.sandbox,
            Some(_) | None => &self.settings().sandbox,
        }
    }

    /// Where its files are.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Drives the run until it ends or cannot go on by itself. `interrupt` is handed what stops it.
    pub fn drive(
        mut self,
        observer: &mut dyn Observe,
        person: &mut dyn Person,
        interrupt: impl FnOnce(Interrupt),
    ) -> Result<Ran, Error> {
        let sandbox = confinement::sandbox(self.level())?;
        let words = self.project.secrets().values().to_vec();
        let sandbox = Arc::new(sandbox.redacting(words));
        let level = sandbox
            .level()
            .map_err(|error| Error::Sandbox(error.into()))?;
        let mut grounds = confinement::grounds(self.project, &self.plan, level);
        let (place, trees) = self.place(&mut grounds, level)?;
        let mut watch = Watch::new(
            self.plan.clone(),
            self.run.goes_on_under(),
            (canonical(self.plan()), self.terms.clone()),
        );
        if let Some(difference) = watch.difference(self.project)? {
            let (run, plan) = (self.id(), self.name);
            return Err(match self.first {
                Input::Start { .. } => Error::Changed { plan, difference },
                _ => Error::ChangedDuring {
                    run,
                    plan,
                    difference: Box::new(difference),
                },
            });
        }
        current_task::keep_true(self.project, &self.key, PlanState::Executing)?;
        let notified = (!person.is_there()).then(|| Arc::clone(&sandbox));
        let mut notify =
            notified.and_then(|sandbox| Notify::new(self.project, sandbox, &self.name));
        let mut local = Local::new(
            self.project,
            (sandbox, grounds),
            (self.dir.clone(), place),
            self.key.clone(),
            watch,
            self.clock,
        );
        interrupt(local.interrupt());
        let mut marks = self.marks();
        let mut observers: Vec<&mut dyn Observe> = vec![observer, &mut marks];
        observers.extend(notify.as_mut().map(|notify| notify as &mut dyn Observe));
        let mut work = Loop {
            run: &mut self.run,
            journal: &mut self.journal,
            perform: &mut local,
            clock: self.clock,
            bounds: self.bounds,
            person,
            observers,
            difference: None,
        };
        let merges = merges::begun(work.run);
        work.record(self.first)?;
        // Under the version so far is decided what a crash cut off; only then comes the next one.
        if let Some(replan) = self.replan {
            let merged = trees.as_deref();
            let merged = merged.map(|trees| merges::finish(work.run, trees, &merges));
            for input in merged.into_iter().flatten() {
                work.record(input)?;
            }
            work.record(replan)?;
        }
        if let (Some(trees), None) = (&trees, work.run.run_tree()) {
            match trees.begin(work.run.settings().isolation) {
                Ok(tree) => work.record(Input::TreePrepared { tree })?,
                // Ctrl-C before the first step: the loop hears of it next.
                Err(_) if work.perform.is_stopping() => {}
                Err(error) => return Err(error),
            }
        }
        if let (Some(trees), Some(_)) = (&trees, work.run.run_tree()) {
            trees.begun(work.run)?;
            place::take_up(work.run, trees);
        }
        let stopped = work.drive()?;
        local.end();
        if let Stopped::Finished(outcome) = stopped {
            ended(self.project, &self.key, &self.run, outcome, self.clock)?;
        }
        let parts = (&mut self.run, &mut self.journal);
        let landing = landing::settle(self.project, trees.as_deref(), parts, self.clock)?;
        Ok(Ran {
            stopped,
            landing,
            run: self.run,
            trouble: marks.trouble,
            notes: notify.map(Notify::finish).unwrap_or_default(),
        })
    }

    fn marks(&self) -> Projection {
        let run = &self.dir;
        let execution = Execution::new(self.project, &self.key, run, self.times);
        Projection::new(self.plan.clone(), execution, self.project.secrets())
    }
}

/// Tells the plan's log what its run came to. The run's journal decides; this is for whoever only
/// looks at the log.
fn ended(
    project: &Project,
    key: &str,
    run: &Run,
    outcome: Outcome,
    clock: &dyn Clock,
) -> Result<(), Error> {
    let digest = run.signed().digest().to_string();
    let run = run.id().to_owned();
    let event = match outcome {
        Outcome::Completed | Outcome::Partial => PlanEvent::PlanCompleted { digest, run },
        Outcome::Failed => PlanEvent::PlanFailed { digest, run },
    };
    let state = match outcome {
        Outcome::Completed | Outcome::Partial => PlanState::Completed,
        Outcome::Failed => PlanState::Failed,
    };
    current_task::keep_true(project, key, state)?;
    log(project, key, &event, clock)
}

/// Writes a line into the plan's log.
fn log(project: &Project, key: &str, event: &PlanEvent, clock: &dyn Clock) -> Result<(), Error> {
    let held = plan_log::lock(&project.store, key)?;
    let at = timestamp(clock.now());
    plan_log::append(&project.store, key, &held, &at, &[body(event)?])?;
    Ok(())
}

/// A directory under a name that nobody else has.
fn new_dir(project: &Project) -> Result<(String, RunDir), Error> {
    loop {
        let id = new_run_id(std::time::SystemTime::now(), random());
        let dir = project.store.run_dir(&id);
        if dir.create()? {
            return Ok((id, dir));
        }
    }
}
