//! What a run leaves outside of its directory: worktrees, and references in the repository. Finds their owner and removes
//! them.
//!
//! Neither place is the project's own: worktrees of all projects lie beside each other, and a repository can have
//! several checkouts, each with a store. What has no certain owner stays.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use signoff_store::root::Store;
use signoff_store::runs::is_run_id;
use signoff_work::git::Repository;

use super::{branch, private_repository, refs, remove_tree, repository};
use crate::error::Error;
use crate::project::Project;
use crate::project::directories::{project_data, run_root, worktrees_root};

/// The reference that every run with a repository has there: the checkout as the run found it.
pub(super) const START: &str = "start";

/// The file that names the project of worktrees.
const OWNER: &str = "project";

/// Writes into the directory of a run's worktrees which project they belong to.
pub(super) fn claim(root: &Path, workspace: &Path, run: &str) -> io::Result<()> {
    // Uncommitted files may be private.
    let private = &mut std::fs::DirBuilder::new();
    private.recursive(true).mode(0o700).create(root)?;
    if is_others(root, workspace, run) {
        return Err(io::Error::new(
            ErrorKind::AlreadyExists,
            "another project has a run of this name",
        ));
    }
    let text = format!("{}\n", workspace.display());
    std::fs::write(root.join(OWNER), text)
}

/// Removes the directory of a run that died before its first event: nothing but what can be mounted was tried there.
pub(crate) fn remove_never_begun(project: &Project, run: &str) {
    let workspace = project.store.workspace();
    if let Some(root) = run_root(project, run).filter(|root| !is_others(root, workspace, run)) {
        // What stays does no harm.
        remove_tree(&root).ok();
    }
}

/// The project that says it made these worktrees.
fn owner(root: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(root.join(OWNER)).ok()?;
    text.lines().next().map(PathBuf::from)
}

/// Does another project have this run and these worktrees? A project that was moved leaves its name but no run.
pub(super) fn is_others(root: &Path, workspace: &Path, run: &str) -> bool {
    owner(root).is_some_and(|owner| owner != workspace && has_run(&owner, run))
}

fn has_run(workspace: &Path, run: &str) -> bool {
    Store::open_existing(workspace).is_some_and(|store| store.run_dir(run).path().exists())
}

/// Where somebody has the branch of a run checked out, if so.
pub(crate) fn checked_out(repository: &Repository, run: &str) -> Result<Option<PathBuf>, Error> {
    let branch = branch(run);
    let mut checkouts = repository.checkouts()?.into_iter();
    let found = checkouts.find(|checkout| checkout.branch.as_ref() == Some(&branch));
    Ok(found.map(|checkout| checkout.path))
}

/// Removes everything of a run from the repository except a branch that somebody has checked out.
pub(super) fn remove_refs(repository: &Repository, run: &str) -> Result<Vec<String>, Error> {
    let mut removed = Vec::new();
    let branch = branch(run);
    if repository.read_ref(&branch)?.is_some() && checked_out(repository, run)?.is_none() {
        repository.delete_ref(&branch)?;
        removed.push(branch.trim_start_matches("refs/heads/").to_owned());
    }
    // After the branch: these references show whose it is.
    for (name, _) in repository.refs(&refs(run))? {
        repository.delete_ref(&name)?;
    }
    Ok(removed)
}

/// What runs of a project have left outside of their directories.
pub(crate) struct LeftoverFinder<'p> {
    project: &'p Project,
    repository: Option<Repository>,
    /// The harness's own repository of this project, if runs have made it.
    private: Option<Repository>,
}

/// What one run has left.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct RunLeftovers {
    /// Its worktrees.
    pub(crate) worktrees: Option<PathBuf>,
    /// Names in the repository: its branch, and where the others are.
    pub(crate) refs: Vec<String>,
    /// Where somebody has its branch checked out: it stays.
    pub(crate) checked_out: Option<PathBuf>,
}

impl<'p> LeftoverFinder<'p> {
    pub(crate) fn of(project: &'p Project) -> Result<Self, Error> {
        let repository = repository(project)?;
        let has_private =
            project_data(project).is_some_and(|data| data.join("repository").exists());
        let private = if has_private {
            private_repository(project)?
        } else {
            None
        };
        Ok(Self {
            project,
            repository,
            private,
        })
    }

    /// The same where git cannot be asked: worktrees are found all the same.
    pub(crate) fn without_git(project: &'p Project) -> Self {
        Self {
            project,
            repository: None,
            private: None,
        }
    }

    /// What this run of the project has left.
    pub(crate) fn of_run(&self, run: &str) -> Result<RunLeftovers, Error> {
        let workspace = self.project.store.workspace();
        let worktrees = run_root(self.project, run)
            .filter(|root| root.symlink_metadata().is_ok() && !is_others(root, workspace, run));
        let mut left = RunLeftovers {
            worktrees,
            ..RunLeftovers::default()
        };
        let branch = branch(run);
        if let Some(private) = &self.private {
            let is_there = private.read_ref(&branch)?.is_some();
            left.refs.extend(is_there.then(|| branch.clone()));
            let has_refs = !private.refs(&refs(run))?.is_empty();
            left.refs.extend(has_refs.then(|| refs(run)));
        }
        let Some(repository) = &self.repository else {
            return Ok(left);
        };
        if repository.read_ref(&branch)?.is_some() {
            left.checked_out = checked_out(repository, run)?;
            left.refs
                .extend(left.checked_out.is_none().then_some(branch));
        }
        if !repository.refs(&refs(run))?.is_empty() {
            left.refs.push(refs(run));
        }
        Ok(left)
    }

    /// Has the run's branch commits that are not in the checked-out history? Work that landed as files cannot be
    /// recognised.
    pub(crate) fn has_unlanded_commits(&self, run: &str) -> Result<bool, Error> {
        for repository in self.repository.iter().chain(&self.private) {
            let Some(tip) = repository.read_ref(&branch(run))? else {
                continue;
            };
            let start = repository.read_ref(&format!("{}{START}", refs(run)))?;
            if start.as_ref() != Some(&tip) && !repository.is_in_head(&tip)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Removes the names of a run in the repository.
    pub(crate) fn remove_refs(&self, run: &str) -> Result<(), Error> {
        for repository in self.repository.iter().chain(&self.private) {
            remove_refs(repository, run)?;
        }
        Ok(())
    }

    /// Runs of this project whose directories are gone, and what they have left.
    pub(crate) fn orphans(&self) -> Result<BTreeMap<String, RunLeftovers>, Error> {
        let mut runs = self.abandoned_worktrees();
        runs.extend(self.abandoned_refs()?);
        runs.extend(self.abandoned_private_refs()?);
        let left = runs.into_iter().map(|run| {
            let left = self.of_run(&run)?;
            Ok((run, left))
        });
        left.collect()
    }

    /// Runs that have worktrees which this project made, and nothing else.
    fn abandoned_worktrees(&self) -> BTreeSet<String> {
        let store = &self.project.store;
        let entries = worktrees_root(self.project).and_then(|all| std::fs::read_dir(all).ok());
        let mut runs = BTreeSet::new();
        for entry in entries.into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let ours = owner(&entry.path()).is_some_and(|owner| owner == store.workspace());
            if ours && is_run_id(&name) && !store.run_dir(&name).path().exists() {
                runs.insert(name);
            }
        }
        runs
    }

    /// Runs that the repository knows and no checkout of it.
    fn abandoned_refs(&self) -> Result<BTreeSet<String>, Error> {
        let Some(repository) = &self.repository else {
            return Ok(BTreeSet::new());
        };
        let mut runs = runs_in(repository)?;
        if runs.is_empty() {
            return Ok(runs);
        }
        let checkouts = repository.checkouts()?;
        runs.retain(|run| {
            // The runs of an unreadable checkout are unknown.
            let lives = |path: &Path| !path.exists() || has_run(path, run);
            !checkouts.iter().any(|checkout| lives(&checkout.path))
        });
        Ok(runs)
    }

    /// Runs that the harness's own repository knows, and the project does not.
    fn abandoned_private_refs(&self) -> Result<BTreeSet<String>, Error> {
        let mut runs = match &self.private {
            Some(private) => runs_in(private)?,
            None => BTreeSet::new(),
        };
        runs.retain(|run| !self.project.store.run_dir(run).path().exists());
        Ok(runs)
    }
}

/// The runs that a repository has references of.
fn runs_in(repository: &Repository) -> Result<BTreeSet<String>, Error> {
    let mut runs = BTreeSet::new();
    for (name, _) in repository.refs("refs/signoff/")? {
        if let Some(rest) = name.strip_prefix("refs/signoff/")
            && let Some((run, START)) = rest.split_once('/')
            && is_run_id(run)
        {
            runs.insert(run.to_owned());
        }
    }
    Ok(runs)
}

#[cfg(test)]
mod tests {

    use super::*;

    const RUN: &str = "20261115-093012-k3f9";

    #[test]
    fn worktrees_say_whose_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().canonicalize().unwrap().join(name);
        for name in ["ours", "theirs"] {
            std::fs::create_dir(at(name)).unwrap();
            Store::create(&at(name)).unwrap();
        }
        let root = at("worktrees").join(RUN);
        claim(&root, &at("theirs"), RUN).unwrap();
        assert_eq!(owner(&root), Some(at("theirs")));
        // Without such a run they are not its worktrees: a project that was moved takes them along.
        assert!(!is_others(&root, &at("ours"), RUN));
        Store::open_existing(&at("theirs"))
            .unwrap()
            .run_dir(RUN)
            .create()
            .unwrap();
        assert!(is_others(&root, &at("ours"), RUN));
        assert!(claim(&root, &at("ours"), RUN).is_err());
        claim(&root, &at("theirs"), RUN).unwrap();
        assert!(!is_others(&root, &at("theirs"), RUN));
    }
}
