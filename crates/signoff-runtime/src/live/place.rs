//! Where a run works: on trees of its own, or in the checkout.

use std::sync::Arc;

use signoff_engine::{Isolation, Run, StepStatus};
use signoff_sandbox::Level;
use signoff_work::confine::{Grounds, closed_shells};
use signoff_work::environment::for_contract;

use super::Live;
use crate::error::Error;
use crate::local::{WorkPlace, marker};
use crate::trees::{self, Setup, Showing, Trees, id};
use crate::{confinement, trees as all_trees};

impl Live<'_> {
    /// Where it works, and the trees that it has there; its processes are confined to them.
    pub(super) fn place(
        &self,
        grounds: &mut Option<Grounds>,
        level: Level,
    ) -> Result<(WorkPlace, Option<Arc<Trees>>), Error> {
        if let Some(grounds) = grounds.as_mut().filter(|_| level.mounts()) {
            let shells = closed_shells(&self.dir.path().join("shells"), &grounds.path);
            grounds.shells = shells.map_err(Error::Sandbox)?;
        }
        if self.settings().isolation == Isolation::Shared {
            return Ok((WorkPlace::Checkout(self.recorder()?), None));
        }
        self.refuse_if_older()?;
        let showing = confinement::showing(self.project, &self.id(), level)?;
        if let (Some(grounds), Showing::Overlays(_)) = (grounds.as_mut(), &showing) {
            grounds.overlays = true;
        }
        let trees = self.trees(grounds.as_mut(), showing)?.map(Arc::new);
        let Some(trees) = trees else {
            return Err(Error::NoWorktrees {
                asked: vec![format!("run {} works on trees of its own", self.id())],
                why: vec!["the repository that has them is gone".to_owned()],
                insists: true,
            });
        };
        self.require_branch(&trees)?;
        Ok((WorkPlace::Trees(Arc::clone(&trees)), Some(trees)))
    }

    /// What can tell how the checkout looks, if there is git.
    fn recorder(&self) -> Result<Option<signoff_work::git::Own>, Error> {
        let Some(repository) = all_trees::private_repository(self.project).ok().flatten() else {
            return Ok(None);
        };
        let kept = trees::kept(self.project, (&self.key, &self.plan));
        Ok(Some(repository.own(&self.dir.path().join("git"), &kept)?))
    }

    /// Agents of older versions worked in worktrees, of which this one knows nothing.
    fn refuse_if_older(&self) -> Result<(), Error> {
        match self.run.run_tree() {
            Some(tree) if !tree.layers => Err(Error::OlderRun {
                run: self.id(),
                branch: tree.branch.clone().unwrap_or_default(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Without its branch nothing of the run could be merged, whatever its agents did.
    fn require_branch(&self, trees: &Trees) -> Result<(), Error> {
        let Some(head) = self.run.head().filter(|_| self.run.run_tree().is_some()) else {
            return Ok(());
        };
        if trees.has_branch()? {
            return Ok(());
        }
        Err(Error::BranchGone {
            run: self.id(),
            head: head.to_owned(),
        })
    }

    /// The run's trees, if it has any.
    pub(super) fn trees(
        &self,
        grounds: Option<&mut Grounds>,
        showing: Showing,
    ) -> Result<Option<Trees>, Error> {
        if self.settings().isolation == Isolation::Shared {
            return Ok(None);
        }
        let repository = match (&self.repository, self.run.run_tree()) {
            (Some(repository), _) => Some(repository.clone()),
            (None, Some(tree)) if tree.private => trees::private_repository(self.project)?,
            (None, Some(_)) => trees::repository(self.project)?,
            // Killed before it had a tree.
            (None, None) => trees::run_repository(self.project)?.map(|found| found.repository),
        };
        let Some(repository) = repository else {
            return Ok(None);
        };
        let grounds = grounds.map(|grounds| {
            grounds.objects = Some(repository.objects().to_owned());
            grounds.clone()
        });
        let kept = trees::kept(self.project, (&self.key, &self.plan));
        let id_of = self.id();
        let how = (showing, self.setup(&id_of, grounds));
        let trees = Trees::open(self.project, repository, &self.dir, (&id_of, &kept), how)?;
        if let (Some(tree), Some(head)) = (self.run.run_tree(), self.run.head()) {
            let parsed = |text: &str| {
                id(text).map_err(|why| Error::BrokenRun {
                    run: id_of.clone(),
                    why,
                })
            };
            trees.take_up(&parsed(&tree.start)?, &parsed(head)?)?;
        }
        Ok(Some(trees))
    }

    fn setup(&self, id: &str, grounds: Option<Grounds>) -> Setup {
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
            marker: marker(id, "", 0),
        }
    }

    /// A run that was taken back does not go on. (Only those that completed land, and they do not either.)
    pub(super) fn refuse_if_undone(&self) -> Result<(), Error> {
        if self.run.undone() {
            let run = self.run.id().to_owned();
            return Err(Error::Undone { run });
        }
        Ok(())
    }
}

/// Removes what a crash left of steps that have ended.
pub(super) fn take_up(run: &Run, trees: &Trees) {
    for (at, (step, state)) in run.order().filter_map(|at| Some((at, run.step(at)?))) {
        let is_over = matches!(state.status, StepStatus::Completed | StepStatus::Skipped);
        if is_over && run.has_own_tree(at) {
            trees.forget_repair(&step.id);
        }
    }
}
