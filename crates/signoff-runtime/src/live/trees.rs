//! Where a run works: on trees of its own, or in the checkout.

use std::sync::Arc;

use signoff_engine::{Isolation, Run, StepStatus};
use signoff_sandbox::Level;
use signoff_work::confine::{RunPaths, closed_shells};
use signoff_work::environment::for_contract;
use signoff_work::git::{HarnessGit, Repository};

use super::{OpenedRun, PreparedRun};
use crate::confinement;
use crate::error::Error;
use crate::local::{WorkPlace, marker};
use crate::trees::{self, Setup, Showing, Trees, id};

impl PreparedRun<'_> {
    /// Where it works. What it starts is confined to that.
    pub(super) fn work_place(
        &self,
        grounds: &mut Option<RunPaths>,
        level: Level,
    ) -> Result<WorkPlace, Error> {
        let opened = &self.opened;
        if let Some(grounds) = grounds.as_mut().filter(|_| level.uses_mounts()) {
            let shells = closed_shells(&self.dir().join("shells"), &grounds.path);
            grounds.shells = shells.map_err(Error::Sandbox)?;
        }
        if self.settings.isolation == Isolation::Shared {
            return Ok(WorkPlace::Checkout(opened.recorder()?));
        }
        opened.refuse_if_older()?;
        let showing = confinement::showing(opened.project, &opened.id, level)?;
        if let (Some(grounds), Showing::Overlays(_)) = (grounds.as_mut(), &showing) {
            grounds.overlays = true;
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
        let trees = opened.open_trees(repository, grounds.as_mut(), showing)?;
        opened.require_branch(&trees)?;
        Ok(WorkPlace::Trees(Arc::new(trees)))
    }
}

impl OpenedRun<'_> {
    /// What can tell how the checkout looks, if there is git.
    fn recorder(&self) -> Result<Option<HarnessGit>, Error> {
        let Some(repository) = trees::private_repository(self.project).ok().flatten() else {
            return Ok(None);
        };
        let kept = trees::kept(self.project, (&self.key, &self.plan));
        Ok(Some(
            repository.open_harness_git(&self.dir.path().join("git"), &kept)?,
        ))
    }

    /// Agents of older versions worked in worktrees, of which this one knows nothing.
    fn refuse_if_older(&self) -> Result<(), Error> {
        match self.state().run_tree() {
            Some(tree) if !tree.layers => Err(Error::OlderRun {
                run: self.id.clone(),
                branch: tree.branch.clone().unwrap_or_default(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Without its branch nothing of the run could be merged, whatever its agents did.
    fn require_branch(&self, trees: &Trees) -> Result<(), Error> {
        let Some(head) = self
            .state()
            .head()
            .filter(|_| self.state().run_tree().is_some())
        else {
            return Ok(());
        };
        if trees.has_branch()? {
            return Ok(());
        }
        Err(Error::BranchGone {
            run: self.id.clone(),
            head: head.to_owned(),
        })
    }

    /// The run's trees, if it has any, for the harness alone: nothing is started there.
    pub(super) fn trees(&self) -> Result<Option<Trees>, Error> {
        if self.state().settings().isolation == Isolation::Shared {
            return Ok(None);
        }
        let repository = self.repository()?;
        repository
            .map(|repository| self.open_trees(repository, None, Showing::Copies))
            .transpose()
    }

    /// The repository that its trees are recorded in, if it is still there.
    fn repository(&self) -> Result<Option<Repository>, Error> {
        match self.state().run_tree() {
            Some(tree) if tree.private => trees::private_repository(self.project),
            Some(_) => trees::repository(self.project),
            // Killed before it had a tree.
            None => Ok(trees::run_repository(self.project)?.map(|found| found.repository)),
        }
    }

    fn open_trees(
        &self,
        repository: Repository,
        grounds: Option<&mut RunPaths>,
        showing: Showing,
    ) -> Result<Trees, Error> {
        let grounds = grounds.map(|grounds| {
            grounds.objects = Some(repository.objects().to_owned());
            grounds.clone()
        });
        let kept = trees::kept(self.project, (&self.key, &self.plan));
        let how = (showing, self.setup(grounds));
        let trees = Trees::open(self.project, repository, &self.dir, (&self.id, &kept), how)?;
        if let (Some(tree), Some(head)) = (self.state().run_tree(), self.state().head()) {
            let parsed = |text: &str| {
                id(text).map_err(|why| Error::BrokenRun {
                    run: self.id.clone(),
                    why,
                })
            };
            trees.take_up(&parsed(&tree.start)?, &parsed(head)?)?;
        }
        Ok(trees)
    }

    fn setup(&self, grounds: Option<RunPaths>) -> Setup {
        let config = &self.project.config;
        Setup {
            copy: config.run.copy.value.clone(),
            prepare: config.run.prepare.value.clone(),
            shell: config.contract.shell.value.clone(),
            environment: for_contract(
                &self.project.around.variables,
                &config.sandbox.env.value,
                self.project.store.workspace(),
            ),
            time: config.run.step_timeout.value,
            grounds,
            scratch: self.dir.scratch("", 0, "prepare"),
            log: self.dir.path().join("prepare.log"),
            marker: marker(&self.id, "", 0),
        }
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
