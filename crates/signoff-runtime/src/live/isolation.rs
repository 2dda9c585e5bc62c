//! Where a run works: on trees of its own, or in the checkout.

use std::sync::Arc;

use signoff_engine::{Isolation, Run, StepStatus};
use signoff_sandbox::Level;
use signoff_work::confine::{RunPaths, closed_shells};

use super::PreparedRun;
use crate::confinement;
use crate::confinement::OverlayMode;
use crate::error::Error;
use crate::local::RunIsolation;
use crate::trees::Trees;

impl PreparedRun<'_> {
    /// Where it works. Its processes are confined to that.
    pub(super) fn prepare_isolation(
        &self,
        run_paths: &mut Option<RunPaths>,
        level: Level,
    ) -> Result<RunIsolation, Error> {
        let opened = &self.opened;
        if let Some(run_paths) = run_paths.as_mut().filter(|_| level.uses_mounts()) {
            let shells = closed_shells(&self.dir().join("shells"), &run_paths.path);
            run_paths.shells = shells.map_err(Error::Sandbox)?;
        }
        if self.settings.isolation == Isolation::Shared {
            return Ok(RunIsolation::Checkout(opened.recorder()?));
        }
        opened.refuse_if_older()?;
        let overlay_mode = confinement::overlay_mode(opened.project, &opened.id, level)?;
        if let (Some(run_paths), OverlayMode::Overlays(_)) = (run_paths.as_mut(), &overlay_mode) {
            run_paths.overlays = true;
        }
        let repository = match &self.repository {
            Some(chosen) => Some(chosen.clone()),
            None => opened.repository()?,
        };
        let Some(repository) = repository else {
            return Err(Error::NoWorktrees {
                asked: vec![format!("run {} works on trees of its own", self.id())],
                why: vec!["the repository that has them is gone".to_owned()],
                insists: true,
            });
        };
        let trees = opened.open_trees(repository, run_paths.as_mut(), overlay_mode)?;
        opened.require_branch(&trees)?;
        Ok(RunIsolation::Trees(Arc::new(trees)))
    }
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
