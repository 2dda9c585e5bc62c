//! The trees of a run, if it works on its own.

use signoff_engine::Isolation;
use signoff_work::confine::RunPaths;
use signoff_work::environment::for_contract;
use signoff_work::git::{HarnessGit, Repository};

use super::leftovers::marker;
use super::opened_run::OpenedRun;
use crate::confinement::OverlayMode;
use crate::error::Error;
use crate::trees;
use crate::trees::{Setup, Trees, TreesOptions, parse_id};

impl OpenedRun<'_> {
    /// Reads the state of the checkout, if there is git.
    pub(crate) fn recorder(&self) -> Result<Option<HarnessGit>, Error> {
        let Some(repository) = trees::private_repository(self.project).ok().flatten() else {
            return Ok(None);
        };
        let kept = trees::protected_paths(self.project, &self.key, &self.plan);
        Ok(Some(
            repository.open_harness_git(&self.dir.path().join("git"), &kept)?,
        ))
    }

    /// Older versions kept agents' work in worktrees, which this version cannot read.
    pub(crate) fn refuse_if_older(&self) -> Result<(), Error> {
        match self.state().run_tree() {
            Some(tree) if !tree.layers => Err(Error::OlderRun {
                run: self.id.clone(),
                branch: tree.branch.clone().unwrap_or_default(),
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Without its branch the run's work could not be merged.
    pub(crate) fn require_branch(&self, trees: &Trees) -> Result<(), Error> {
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
    pub(crate) fn trees(&self) -> Result<Option<Trees>, Error> {
        if self.state().settings().isolation == Isolation::Shared {
            return Ok(None);
        }
        let repository = self.repository()?;
        repository
            .map(|repository| self.open_trees(repository, None, OverlayMode::Copies))
            .transpose()
    }

    /// The repository that its trees are recorded in, if it is still there.
    pub(crate) fn repository(&self) -> Result<Option<Repository>, Error> {
        match trees::repository_of(self.project, self.state())? {
            // Killed before it had a tree.
            None if self.state().run_tree().is_none() => {
                Ok(trees::run_repository(self.project)?.map(|found| found.repository))
            }
            found => Ok(found),
        }
    }

    pub(crate) fn open_trees(
        &self,
        repository: Repository,
        run_paths: Option<&mut RunPaths>,
        overlay_mode: OverlayMode,
    ) -> Result<Trees, Error> {
        let run_paths = run_paths.map(|run_paths| {
            run_paths.objects = Some(repository.objects().to_owned());
            run_paths.clone()
        });
        let kept = trees::protected_paths(self.project, &self.key, &self.plan);
        let options = TreesOptions {
            run: &self.id,
            dir: &self.dir,
            kept: &kept,
            overlay_mode,
            setup: self.setup(run_paths),
        };
        let trees = Trees::open(self.project, repository, options)?;
        if let (Some(tree), Some(head)) = (self.state().run_tree(), self.state().head()) {
            let run = self.state();
            trees.resume(&parse_id(run, &tree.start)?, &parse_id(run, head)?)?;
        }
        Ok(trees)
    }

    fn setup(&self, run_paths: Option<RunPaths>) -> Setup {
        let config = &self.project.config;
        Setup {
            copy: config.run.copy.value.clone(),
            prepare: config.run.prepare.value.clone(),
            shell: config.contract.shell.value.clone(),
            environment: for_contract(
                &self.project.process.variables,
                &config.sandbox.env.value,
                self.project.store.workspace(),
            ),
            time: config.run.step_timeout.value,
            run_paths,
            scratch: self.dir.scratch("", 0, "prepare"),
            log: self.dir.path().join("prepare.log"),
            marker: marker(&self.id, "", 0),
        }
    }
}
