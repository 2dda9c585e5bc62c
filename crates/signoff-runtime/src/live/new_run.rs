//! Begins a run: decides whether and how it can run, then makes its directory.

use std::path::Path;

use signoff_engine::{Bounds, Isolation, Run, Settings};
use signoff_plan::model::Plan;
use signoff_store::failpoint;
use signoff_store::journal::Journal;
use signoff_store::lock::{RunLock, WorkspaceLock};
use signoff_store::runs::{self, RunDir, new_run_id};
use signoff_store::signatures::SignatureRecord;
use signoff_work::beneath::remove_tree;

use super::last_run::{KnownSteps, PlanToRun, known_steps};
use super::options::{RunOptions, bounds, settings};
use crate::clock::Clock;
use crate::confinement::levels;
use crate::drive::{FileJournal, JournaledRun};
use crate::error::Error;
use crate::plan_file::SignedText;
use crate::plans::approval::preflight;
use crate::plans::locked::LockedPlan;
use crate::project::locks::{take_run, take_start, take_workspace_for};
use crate::project::{Project, random};
use crate::runs::day_costs::DayCosts;
use crate::runs::marks::Times;
use crate::runs::{OpenedRun, snapshot};
use crate::signing::current_signature::{CountedSignature, require_signed};
use crate::trees::IsolationChoice;
use crate::{confinement, plan_history, trees};

/// Everything that is decided about a new run before anything is written: a run that cannot start leaves nothing.
pub(super) struct RunSetup {
    pub(super) run: Run,
    /// The signature that counts.
    pub(super) signature: Box<SignatureRecord>,
    /// How far it is to go.
    pub(super) bounds: Bounds,
    pub(super) chosen: IsolationChoice,
    pub(super) settings: Settings,
    /// What the earlier runs of the plan know of its steps.
    pub(super) earlier: KnownSteps,
}

impl RunSetup {
    pub(super) fn decide(
        project: &Project,
        locked: &LockedPlan<'_>,
        options: &RunOptions,
    ) -> Result<Self, Error> {
        locked.may_start(options.again)?;
        project.remember_id()?;
        preflight::require_runnable(project, &locked.plan)?;
        confinement::require(project)?;
        let CountedSignature { plan, signature } = require_signed(project, &locked.plan)?;
        let run = Run::new(plan);
        let bounds = bounds(&run, options)?;
        let chosen = trees::choose(project, run.plan(), options.isolation)?;
        levels::require(project, run.plan(), options.isolation)?;
        let settings = settings(project, options, chosen.isolation, chosen.land)?;
        let to_run = PlanToRun {
            key: &locked.key,
            plan: run.plan(),
            digest: &run.signed_plan().digest().to_string(),
            history: locked.history(),
        };
        let earlier = known_steps(project, &to_run, options.redo)?;
        Ok(Self {
            run,
            signature,
            bounds,
            chosen,
            settings,
            earlier,
        })
    }
}

/// Makes the directory of a new run, with its locks, its snapshot and an empty journal.
pub(super) fn create_run<'a>(
    project: &'a Project,
    clock: &'a dyn Clock,
    locked: &LockedPlan<'_>,
    run: Run,
    isolation: Isolation,
) -> Result<OpenedRun<'a>, Error> {
    let (plan, key) = (&locked.plan, locked.key.clone());
    let terms = project.present_terms(run.plan(), &key)?;
    let mut workspace_lock = workspace_lock(project, run.plan(), isolation)?;
    let NewRun { id, dir, lock } = new_run(project, &key)?;
    if let Some(workspace) = &mut workspace_lock {
        let path = project.store.workspace_lock();
        workspace.name_run(&id).map_err(Error::cannot_read(&path))?;
    }
    snapshot::save(&dir, plan)?;
    snapshot::keep_signature(project, &key, &dir, run.signed_plan())?;
    let durability = project.config.run.durability.value;
    let journal = FileJournal::new(Journal::create(&dir.journal())?, durability);
    failpoint::reach("run.created");
    let text = SignedText::default();
    text.set(
        plan.source.clone(),
        plan.checked.dialect,
        run.signed_plan().digest(),
    );
    Ok(OpenedRun {
        project,
        clock,
        id,
        run: JournaledRun::new(run, journal, clock),
        dir,
        times: Times::default(),
        key,
        plan: plan.path.clone(),
        terms,
        versions: 1,
        text,
        costs: DayCosts::default(),
        torn: None,
        _run_lock: lock,
        workspace_lock,
    })
}

/// A run that has a directory and nothing else yet.
struct NewRun {
    id: String,
    dir: RunDir,
    lock: RunLock,
}

/// Removes what is left of runs that never began, once the log of their plan names a newer one.
pub(super) fn clear_never_begun(project: &Project) -> Result<(), Error> {
    // Two runs may start at once; neither may take the other's directory for an abandoned one.
    let starting = take_start(project)?;
    let with_trees = |run: &str, dir: &Path| {
        if !run.is_empty() {
            trees::remove_never_begun(project, run);
        }
        remove_tree(dir)
    };
    let is_needed = |run: &str, key: &str| plan_history::names_newest_run(project, key, run);
    Ok(runs::remove_never_begun(
        &project.store,
        &starting,
        is_needed,
        with_trees,
    )?)
}

/// Makes a directory under a name that no other run has, and locks it.
fn new_run(project: &Project, key: &str) -> Result<NewRun, Error> {
    // Until it is locked, it looks abandoned.
    let _starting = take_start(project)?;
    let (id, dir) = loop {
        let id = new_run_id(std::time::SystemTime::now(), random());
        let dir = project.store.run_dir(&id);
        if dir.create()? {
            break (id, dir);
        }
    };
    dir.mark_starting(key)?;
    failpoint::reach("run.named");
    let lock = take_run(&dir, &id)?;
    Ok(NewRun { id, dir, lock })
}

/// The lock of the checkout, for a run that works in it. A run on its own trees needs none.
pub(super) fn workspace_lock(
    project: &Project,
    plan: &Plan,
    isolation: Isolation,
) -> Result<Option<WorkspaceLock>, Error> {
    match isolation {
        Isolation::Worktree => Ok(None),
        Isolation::Shared => take_workspace_for(project, plan).map(Some),
    }
}
