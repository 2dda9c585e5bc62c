//! Where a run works: on trees of its own, or in the checkout; and how its processes are confined there.

use std::sync::Arc;

use signoff_engine::{Isolation, Run, StepStatus};
use signoff_sandbox::{Level, Sandbox};
use signoff_work::confine::{RunPaths, closed_shells};
use signoff_work::git::Repository;

use crate::advice::Advisor;
use crate::confinement;
use crate::confinement::OverlayMode;
use crate::error::Error;
use crate::local::{LocalPerformer, PerformerOptions, RunIsolation};
use crate::runs::OpenedRun;
use crate::signing::watch::Watch;
use crate::trees::Trees;

/// Where a run's processes work, and how they are confined.
pub(super) struct Workplace {
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) run_paths: Option<RunPaths>,
    pub(super) isolation: RunIsolation,
}

/// What decides where a run works.
pub(super) struct WorkplaceOptions<'o> {
    pub(super) isolation: Isolation,
    /// How strongly processes have to be confined.
    pub(super) level: &'o str,
    /// The repository that its trees are recorded in, if it was chosen just now.
    pub(super) repository: Option<&'o Repository>,
}

impl Workplace {
    pub(super) fn prepare(
        opened: &OpenedRun<'_>,
        options: WorkplaceOptions<'_>,
    ) -> Result<Self, Error> {
        let (sandbox, level) = sandbox(opened, options.level)?;
        let mut run_paths = confinement::run_paths(opened.project, &opened.plan, level);
        let isolation = prepare_isolation(opened, &options, &mut run_paths, level)?;
        Ok(Self {
            sandbox,
            run_paths,
            isolation,
        })
    }

    /// Starts what performs the run's actions here.
    pub(super) fn performer<'a>(
        self,
        opened: &OpenedRun<'a>,
        watch: Watch,
    ) -> Result<LocalPerformer<'a>, Error> {
        LocalPerformer::start(PerformerOptions {
            project: opened.project,
            id: opened.id.clone(),
            key: opened.key.clone(),
            dir: opened.dir.clone(),
            isolation: self.isolation,
            sandbox: self.sandbox,
            run_paths: self.run_paths,
            watch,
            clock: opened.clock,
            advisor: Arc::new(Advisor {
                project: opened.project.clone(),
                key: opened.key.clone(),
                plan: opened.plan.clone(),
            }),
        })
    }
}

fn sandbox(opened: &OpenedRun<'_>, level: &str) -> Result<(Arc<Sandbox>, Level), Error> {
    let words = opened.project.secrets().values().to_vec();
    let sandbox = confinement::sandbox(level)?.with_redaction(words);
    let level = sandbox
        .level()
        .map_err(|error| Error::Sandbox(error.into()))?;
    Ok((Arc::new(sandbox), level))
}

/// Prepares the trees or the checkout, and adds to `run_paths` what follows from that.
fn prepare_isolation(
    opened: &OpenedRun<'_>,
    options: &WorkplaceOptions<'_>,
    run_paths: &mut Option<RunPaths>,
    level: Level,
) -> Result<RunIsolation, Error> {
    if let Some(run_paths) = run_paths.as_mut().filter(|_| level.uses_mounts()) {
        let shells = closed_shells(&opened.dir.path().join("shells"), &run_paths.path);
        run_paths.shells = shells.map_err(Error::Sandbox)?;
    }
    if options.isolation == Isolation::Shared {
        return Ok(RunIsolation::Checkout(opened.recorder()?));
    }
    opened.refuse_if_older()?;
    let overlay_mode = confinement::overlay_mode(opened.project, &opened.id, level)?;
    if let (Some(run_paths), OverlayMode::Overlays(_)) = (run_paths.as_mut(), &overlay_mode) {
        run_paths.overlays = true;
    }
    let repository = match options.repository {
        Some(chosen) => Some(chosen.clone()),
        None => opened.repository()?,
    };
    let Some(repository) = repository else {
        return Err(Error::NoWorktrees {
            asked: vec![format!("run {} works on trees of its own", opened.id)],
            why: vec!["the repository that has them is gone".to_owned()],
            insists: true,
        });
    };
    let trees = opened.open_trees(repository, run_paths.as_mut(), overlay_mode)?;
    opened.require_branch(&trees)?;
    Ok(RunIsolation::Trees(Arc::new(trees)))
}

/// Removes the repair directories of steps that have ended, which a crash may have left.
pub(super) fn forget_finished_repairs(run: &Run, trees: &Trees) {
    for (at, (step, state)) in run.order().filter_map(|at| Some((at, run.step(at)?))) {
        let is_over = matches!(state.status, StepStatus::Completed | StepStatus::Skipped);
        if is_over && run.has_own_tree(at) {
            trees.forget_repair(&step.id);
        }
    }
}
