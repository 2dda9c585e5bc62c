//! Where a run works: the checkout, or trees of its own.

use std::sync::Arc;

use signoff_engine::{Isolation, Run, StepStatus};
use signoff_work::confine::Grounds;
use signoff_work::environment::for_contract;

use super::Live;
use crate::error::Error;
use crate::local::{Where, marker};
use crate::trees::{self, Setup, Trees};

impl Live<'_> {
    /// Where it works, and the trees that it has there; its processes are confined to them.
    pub(super) fn place(
        &self,
        grounds: &mut Option<Grounds>,
    ) -> Result<(Where, Option<Arc<Trees>>), Error> {
        let trees = self.trees(grounds.as_mut())?.map(Arc::new);
        let place = match (self.settings().isolation, &trees) {
            (Isolation::Worktree, Some(trees)) => {
                self.require_branch(trees)?;
                Where::Worktrees(Arc::clone(trees))
            }
            (Isolation::Worktree, None) => {
                return Err(Error::NoWorktrees {
                    asked: vec![format!("run {} works in worktrees", self.id())],
                    why: vec!["there is no git repository any more".to_owned()],
                    insists: true,
                });
            }
            (Isolation::Shared, trees) => Where::Checkout(trees.clone()),
        };
        Ok((place, trees))
    }

    /// Without its branch nothing of the run could be merged, whatever its agents did.
    fn require_branch(&self, trees: &Trees) -> Result<(), Error> {
        let Some(head) = self.run.head().filter(|_| self.run.ground().is_some()) else {
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

    /// The run's trees, if there is git.
    pub(super) fn trees(&self, grounds: Option<&mut Grounds>) -> Result<Option<Trees>, Error> {
        let has_ground = self.run.ground().is_some() || self.run.in_worktrees();
        let repository = match &self.repository {
            Some(repository) => Some(repository.clone()),
            None if has_ground => trees::repository(self.project)?,
            None => None,
        };
        let Some(repository) = repository else {
            return Ok(None);
        };
        let grounds = grounds.map(|grounds| {
            if self.settings().isolation == Isolation::Worktree {
                grounds.seen = vec![repository.objects().to_owned(), self.dir.path().to_owned()];
            }
            grounds.clone()
        });
        let kept = trees::kept(self.project, (&self.key, &self.plan));
        let id = self.id();
        let setup = self.setup(&id, grounds);
        Trees::open(self.project, repository, &self.dir, (&id, &kept), setup).map(Some)
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

/// Takes up what a crash left in the trees: worktrees that nobody needs, work that nobody noted.
pub(super) fn take_up(run: &Run, trees: &Trees) {
    if !run.in_worktrees() {
        // Where it cannot be seen now it is seen with the next work.
        trees.note_work().ok();
    }
    for (at, (step, state)) in run.order().filter_map(|at| Some((at, run.step(at)?))) {
        let is_over = matches!(state.status, StepStatus::Completed | StepStatus::Skipped);
        if is_over && run.has_own_tree(at) && trees.step_path(&step.id).exists() {
            trees.forget_step(&step.id);
        }
    }
}
