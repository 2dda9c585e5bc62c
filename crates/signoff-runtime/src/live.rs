//! A run under way: sets up what the loop drives, for a new run and for one that goes on.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use signoff_engine::{Choice, Input, Outcome, Run, Settings, Stage, apply};
use signoff_plan::digest::canonical;
use signoff_plan::signed::SignedPlan;
use signoff_sandbox::{Identity, Sandbox, end_leftovers};
use signoff_store::journal::Journal;
use signoff_store::lock::{RunLock, WorkspaceLock, holder};
use signoff_store::runs::{RunDir, new_run_id};
use signoff_store::{atomic, failpoint};

use crate::clock::Clock;
use crate::drive::{Loop, Observe, Stopped};
use crate::error::Error;
use crate::journal::{Append, FileJournal, recorded};
use crate::local::{Interrupt, Local, contract_marker, marker};
use crate::marks::Projection;
use crate::plan_file::PlanFile;
use crate::preflight;
use crate::project::Project;
use crate::view::View;
use crate::watch::Watch;

/// A run that this process owns.
pub struct Live<'a> {
    project: &'a Project,
    clock: &'a dyn Clock,
    run: Run,
    dir: RunDir,
    key: String,
    plan: PathBuf,
    terms: Value,
    journal: FileJournal,
    /// What the loop is told first.
    first: Input,
    /// Held as long as the run is.
    _run_lock: RunLock,
    _workspace_lock: WorkspaceLock,
}

impl std::fmt::Debug for Live<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live").field("run", &self.dir.path()).finish_non_exhaustive()
    }
}

/// What a run came to.
#[derive(Debug)]
pub struct Ran {
    /// Why the loop came back.
    pub stopped: Stopped,
    /// Its last state.
    pub run: Run,
    /// Why marks could not be written, if so.
    pub trouble: Option<String>,
}

impl<'a> Live<'a> {
    /// Prepares a new run of a signed plan: preflight, locks, snapshot, journal.
    pub fn start(project: &'a Project, plan: PlanFile, clock: &'a dyn Clock) -> Result<Self, Error> {
        project.require_trust()?;
        preflight::no_errors(&plan)?;
        preflight::supported(&plan)?;
        preflight::programs(project, &plan)?;
        let (path, key) = (plan.path.clone(), plan.key(project));
        let bytes = plan.source.bytes().to_vec();
        let signed = preflight::signed(project, plan)?;
        let mut workspace_lock = take_workspace(project)?;
        let id = new_run_id(std::time::SystemTime::now(), random());
        workspace_lock.name_run(&id).map_err(Error::Sandbox)?;
        let dir = project.store.run_dir(&id);
        dir.create()?;
        let run_lock = take_run(&dir, &id)?;
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("md");
        dir.save_snapshot(extension, &bytes)?;
        let journal = FileJournal::new(Journal::create(&dir.journal())?);
        failpoint::reached("run.created");
        let first = Input::Start {
            run: id,
            plan: key.clone(),
            path: relative(project, &path),
            digest: signed.digest().to_string(),
            terms: signed.terms().to_string(),
            settings: Settings {
                backoff: u64::try_from(project.config.run.backoff.value.as_millis()).unwrap_or(u64::MAX),
                baseline: project.config.contract.baseline.value,
                sandbox: signoff_sandbox::Level::None.to_string(),
            },
        };
        let terms = project.terms(signed.plan());
        Ok(Self {
            project,
            clock,
            run: Run::new(signed),
            dir,
            key,
            plan: path,
            terms,
            journal,
            first,
            _run_lock: run_lock,
            _workspace_lock: workspace_lock,
        })
    }

    /// Takes up a run that was paused, cut off, or has failed.
    pub fn resume(project: &'a Project, id: &str, clock: &'a dyn Clock) -> Result<Self, Error> {
        project.require_trust()?;
        let mut live = Self::open(project, id, clock)?;
        let by = project.around.person.clone();
        live.first = match live.run.outcome() {
            None => Input::Resume { by },
            Some(Outcome::Failed) => Input::Reopen { by },
            Some(outcome @ (Outcome::Completed | Outcome::Partial)) => {
                return Err(Error::AlreadyFinished {
                    run: id.to_owned(),
                    outcome: signoff_api::event::outcome_name(outcome),
                });
            }
        };
        live.end_leftovers()?;
        // A killed writer may have left its temporary file beside the plan.
        atomic::remove_stray_temp(&live.plan)?;
        Ok(live)
    }

    /// Records a person's answer. The run goes on when it is resumed.
    pub fn answer(project: &'a Project, id: &str, item: &str, choice: Choice, note: Option<String>, clock: &'a dyn Clock) -> Result<(), Error> {
        let mut live = Self::open(project, id, clock)?;
        let by = project.around.person.clone();
        let events = signoff_engine::decide(
            &live.run,
            clock.now(),
            Input::Answer { item: item.to_owned(), choice, note, by },
        )?;
        live.journal.append(clock.now(), events)?;
        live.journal.close()
    }

    fn open(project: &'a Project, id: &str, clock: &'a dyn Clock) -> Result<Self, Error> {
        let dir = project.store.run_dir(id);
        if !dir.path().is_dir() {
            return Err(View::unknown(project, Some(id)));
        }
        let run_lock = take_run(&dir, id)?;
        let mut workspace_lock = take_workspace(project)?;
        workspace_lock.name_run(id).map_err(Error::Sandbox)?;
        let view = View::load(project, id)?;
        let (journal, records) = Journal::open(&dir.journal())?;
        let mut run = Run::new(view.run.signed().clone());
        for record in &records {
            apply(&mut run, &recorded(record)?);
        }
        Ok(Self {
            project,
            clock,
            terms: view.terms,
            key: view.key,
            plan: view.plan_path,
            run,
            dir,
            journal: FileJournal::new(journal),
            first: Input::Park,
            _run_lock: run_lock,
            _workspace_lock: workspace_lock,
        })
    }

    /// The run's name.
    pub fn id(&self) -> String {
        match &self.first {
            Input::Start { run, .. } => run.clone(),
            _ => self.run.id().to_owned(),
        }
    }

    /// Where its files are.
    pub fn dir(&self) -> &Path {
        self.dir.path()
    }

    /// Drives the run until it ends or cannot go on by itself. `interrupt` is handed what stops it.
    pub fn drive(mut self, observer: &mut dyn Observe, interrupt: impl FnOnce(Interrupt)) -> Result<Ran, Error> {
        let sandbox = Arc::new(Sandbox::new().map_err(Error::Sandbox)?);
        let mut watch = Watch::new(
            self.plan.clone(),
            self.run.signed(),
            (canonical(self.run.plan()), self.terms.clone()),
        );
        if let Some(difference) = watch.difference(self.project)? {
            return Err(Error::Changed { plan: self.plan, difference });
        }
        let mut local = Local::new(self.project, sandbox, self.dir.clone(), self.key, watch, self.clock);
        interrupt(local.interrupt());
        let mut marks = Projection::new(self.plan);
        let mut work = Loop {
            run: &mut self.run,
            journal: &mut self.journal,
            perform: &mut local,
            clock: self.clock,
            observers: vec![observer, &mut marks],
        };
        work.record(self.first)?;
        let stopped = work.drive()?;
        Ok(Ran { stopped, run: self.run, trouble: marks.trouble })
    }

    /// Ends what an owner that died left running.
    fn end_leftovers(&self) -> Result<(), Error> {
        for (step, state) in self.run.steps() {
            let attempt = match state.stage {
                Stage::Working { attempt } | Stage::Evaluating { attempt } => attempt,
                Stage::Baselining => 0,
                Stage::Idle
                | Stage::NeedsBaseline
                | Stage::NeedsWork
                | Stage::NeedsEvaluation { .. }
                | Stage::Waiting { .. }
                | Stage::Ended => continue,
            };
            let identity = state.process.as_ref().map(|process| Identity {
                pid: process.pid,
                starttime: process.starttime,
                boot_id: process.boot_id.clone(),
            });
            end_leftovers(identity.as_ref(), &marker(self.run.id(), &step.id, attempt)).map_err(Error::Sandbox)?;
            end_leftovers(None, &contract_marker(self.run.id(), &step.id, attempt)).map_err(Error::Sandbox)?;
        }
        Ok(())
    }
}

fn take_workspace(project: &Project) -> Result<WorkspaceLock, Error> {
    let path = project.store.workspace_lock();
    match WorkspaceLock::try_acquire(&path) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(Error::WorkspaceTaken { holder: holder(&path).ok().flatten() }),
        Err(why) => Err(Error::Unreadable { path, why }),
    }
}

fn take_run(dir: &RunDir, id: &str) -> Result<RunLock, Error> {
    let path = dir.lock();
    match RunLock::try_acquire(&path) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(Error::RunTaken {
            run: id.to_owned(),
            holder: holder(&path).ok().flatten(),
        }),
        Err(why) => Err(Error::Unreadable { path, why }),
    }
}

fn relative(project: &Project, path: &Path) -> String {
    path.strip_prefix(project.store.workspace()).unwrap_or(path).to_string_lossy().into_owned()
}

/// Only makes names of runs differ; two within a second are still told apart by their directory.
fn random() -> u32 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    u32::try_from(hasher.finish() & u64::from(u32::MAX)).unwrap_or(0)
}

/// The signed plan of a run, from its snapshot and the signature it was started under.
pub(crate) fn signed_snapshot(project: &Project, id: &str, dir: &RunDir, started: &Started) -> Result<(SignedPlan, Value), Error> {
    let broken = |why: String| Error::BrokenRun { run: id.to_owned(), why };
    let (path, bytes) = dir.load_snapshot()?.ok_or_else(|| broken("its snapshot is missing".to_owned()))?;
    let name = path.to_string_lossy().into_owned();
    let plan = PlanFile::from_bytes(&path, &name, bytes, &crate::plan_file::Everything);
    let digest = plan.digest();
    if digest.to_string() != started.digest {
        return Err(broken(format!("its snapshot has digest {digest}, not {}", started.digest)));
    }
    let terms = started.terms.parse().map_err(|_| broken("its terms digest cannot be read".to_owned()))?;
    let found = signoff_store::signatures::matching(&project.store, &started.plan, &digest, &terms)?
        .ok_or_else(|| Error::NotSigned { plan: path.clone() })?;
    let checked = plan.checked.accept().map_err(|_| broken("its snapshot has errors".to_owned()))?;
    let signed = SignedPlan::new(checked, &terms, &found.signature)
        .map_err(|mismatch| broken(mismatch.to_string()))?;
    Ok((signed, found.canonical_terms))
}

/// What the first event of a run says.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) plan: String,
    pub(crate) digest: String,
    pub(crate) terms: String,
}
