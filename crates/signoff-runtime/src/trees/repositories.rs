//! The repositories that runs record their trees in, and the names of their branches and references there.

use std::path::Path;
use std::sync::Arc;

use signoff_engine::Run;
use signoff_sandbox::Sandbox;
use signoff_store::config::Durability;
use signoff_store::key;
use signoff_work::git::{Git, Repository, RunRepository, is_absent};

use crate::error::Error;
use crate::project::directories::{project_data, top_directory};
use crate::project::{Project, current_task};

/// The run's branch.
pub(crate) fn branch(run: &str) -> String {
    format!("refs/heads/signoff/{run}")
}

/// Where a run keeps what else it wants to find again.
pub(crate) fn refs(run: &str) -> String {
    format!("refs/signoff/{run}/")
}

/// A step's id as a part of a reference's name, which may hold neither `~` nor two dots, nor end in `.lock`.
pub(super) fn ref_part(id: &str) -> String {
    let encoded = key::encode(id).replace('.', "%2E").replace('~', "%7E");
    format!("x{encoded}")
}

/// The repository of a project, if there is one.
pub(crate) fn repository(project: &Project) -> Result<Option<Repository>, Error> {
    let workspace = project.store.workspace();
    // Most of the time there is nothing to start a process for.
    let is_one = |above: &Path| above.join(".git").exists();
    if !workspace.ancestors().any(is_one) {
        return Ok(None);
    }
    Ok(Repository::find(git(project)?, workspace)?)
}

/// The repository that runs of the project record their trees in: the project's own, or a private one.
pub(crate) fn run_repository(project: &Project) -> Result<Option<RunRepository>, Error> {
    let Some(data) = project_data(project) else {
        return Ok(None);
    };
    let workspace = project.store.workspace();
    match Repository::for_run(git(project)?, workspace, &data.join("repository")) {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The repository that the trees of a run are recorded in, if it has any and it is still there.
pub(crate) fn repository_of(project: &Project, run: &Run) -> Result<Option<Repository>, Error> {
    match run.run_tree() {
        Some(tree) if tree.private => private_repository(project),
        Some(_) => repository(project),
        None => Ok(None),
    }
}

/// The private repository of the project's runs, whether or not the project has one of its own.
pub(crate) fn private_repository(project: &Project) -> Result<Option<Repository>, Error> {
    let Some(data) = project_data(project) else {
        return Ok(None);
    };
    let directory = data.join("repository");
    let found = Repository::private(git(project)?, project.store.workspace(), &directory)?;
    Ok(Some(found))
}

fn git(project: &Project) -> Result<Git, Error> {
    let sandbox = Arc::new(Sandbox::new().map_err(Error::Sandbox)?);
    let workspace = project.store.workspace();
    let git = Git::new(sandbox, &project.process.variables, workspace);
    Ok(match project.config.run.durability.value {
        Durability::Power => git.surviving_power_failures(),
        Durability::Process => git,
    })
}

/// Paths, relative to the workspace, that no step of a run changes because the harness does: the store, the plan
/// itself, files of other tools that describe its run, and files that would make another directory the store.
pub(crate) fn protected_paths(project: &Project, key: &str, plan: &Path) -> Vec<String> {
    let workspace = project.store.workspace();
    let mut kept = vec![
        top_directory(workspace, project.store.dir()),
        plan.to_owned(),
    ];
    kept.extend(project.store.session_log(key));
    kept.extend(project.store.foreign_marks());
    kept.extend(current_task::file(project));
    let inside = kept
        .iter()
        .filter_map(|path| path.strip_prefix(workspace).ok());
    inside
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}
