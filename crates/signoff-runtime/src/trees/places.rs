//! Where the trees of runs are, and what they are called in the repository.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use signoff_plan::digest::Digest;
use signoff_sandbox::Sandbox;
use signoff_store::key;
use signoff_work::git::{Git, Repository, RunRepository, is_absent};

use crate::error::Error;
use crate::plans::current_task;
use crate::project::Project;

/// Where the run's tree is, among the worktrees of the run.
pub(crate) fn run_tree(root: &Path) -> PathBuf {
    root.join("run")
}

/// Where a step's own worktree is, among the worktrees of the run.
pub(crate) fn step_tree(root: &Path, step: &str) -> PathBuf {
    root.join("steps").join(key::encode(step))
}

/// Where the worktrees of a run are: outside of the checkout, or build tools would take them for a part of it.
pub(crate) fn root(project: &Project, run: &str) -> Option<PathBuf> {
    Some(all(project)?.join(run))
}

/// Where the trees of all runs are.
pub(crate) fn all(project: &Project) -> Option<PathBuf> {
    Some(signoff_data(project)?.join("worktrees"))
}

/// Where what runs of this project share is kept: trees, and the repository of a project that has none.
pub(crate) fn data(project: &Project) -> Option<PathBuf> {
    let workspace = project.store.workspace().as_os_str().as_encoded_bytes();
    let key: String = Digest::of_bytes(workspace).hex().chars().take(16).collect();
    Some(signoff_data(project)?.join("projects").join(key))
}

/// The harness's own directories of the person: its data, its state and the settings.
pub(crate) fn own_directories(project: &Project) -> Vec<PathBuf> {
    let settings = project.around.user_config.as_deref().and_then(Path::parent);
    let own = [
        signoff_data(project),
        project.around.state_dir.clone(),
        settings.map(Path::to_owned),
    ];
    own.into_iter().flatten().collect()
}

fn signoff_data(project: &Project) -> Option<PathBuf> {
    let variable = |name: &str| {
        project
            .around
            .variables
            .get(OsStr::new(name))
            .map(PathBuf::from)
    };
    let absolute = |path: &PathBuf| path.is_absolute();
    let data = variable("XDG_DATA_HOME").filter(absolute);
    let home = variable("HOME").filter(absolute);
    let data = data.or_else(|| Some(home?.join(".local/share")))?;
    Some(data.join("signoff"))
}

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
    let Some(data) = data(project) else {
        return Ok(None);
    };
    let workspace = project.store.workspace();
    match Repository::for_run(git(project)?, workspace, &data.join("repository")) {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The private repository of the project's runs, whether or not the project has one of its own.
pub(crate) fn private_repository(project: &Project) -> Result<Option<Repository>, Error> {
    let Some(data) = data(project) else {
        return Ok(None);
    };
    let place = data.join("repository");
    let found = Repository::private(git(project)?, project.store.workspace(), &place)?;
    Ok(Some(found))
}

fn git(project: &Project) -> Result<Git, Error> {
    let sandbox = Arc::new(Sandbox::new().map_err(Error::Sandbox)?);
    let workspace = project.store.workspace();
    Ok(Git::new(sandbox, &project.around.variables, workspace))
}

/// What no step of a run changes, because the harness does: the store, the plan itself, and what tells of its run in
/// the stores of other tools; relative to the workspace.
pub(crate) fn kept(project: &Project, (key, plan): (&str, &Path)) -> Vec<String> {
    let workspace = project.store.workspace();
    let mut kept = vec![
        crate::confinement::top(workspace, project.store.dir()),
        plan.to_owned(),
    ];
    kept.extend(project.store.session_log(key));
    kept.extend(current_task::file(project));
    let inside = kept
        .iter()
        .filter_map(|path| path.strip_prefix(workspace).ok());
    inside
        .map(|path| path.to_string_lossy().into_owned())
        .collect()
}

/// Removes a directory whose owner may have taken rights from parts of it.
pub(crate) fn remove_tree(path: &Path) -> std::io::Result<()> {
    if std::fs::remove_dir_all(path).is_ok() {
        return Ok(());
    }
    crate::scratch::unlock(path);
    match std::fs::remove_dir_all(path) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}
