//! The harness's own directories of a person, outside of their projects.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use signoff_plan::digest::Digest;
use signoff_store::key;

use super::{ProcessContext, Project};

/// Where the run's tree is, among the worktrees of the run.
pub(crate) fn run_tree_dir(root: &Path) -> PathBuf {
    root.join("run")
}

/// Where a step's own worktree is, among the worktrees of the run.
pub(crate) fn step_tree_dir(root: &Path, step: &str) -> PathBuf {
    root.join("steps").join(key::encode(step))
}

/// Where the worktrees of a run are: outside of the checkout, or build tools would take them for a part of it.
pub(crate) fn run_root(project: &Project, run: &str) -> Option<PathBuf> {
    Some(worktrees_root(project)?.join(run))
}

/// Where the trees of all runs are.
pub(crate) fn worktrees_root(project: &Project) -> Option<PathBuf> {
    worktrees_below(&project.process)
}

fn worktrees_below(process: &ProcessContext) -> Option<PathBuf> {
    Some(signoff_data(process)?.join("worktrees"))
}

/// Where what runs of this project share is kept: trees, and the repository of a project that has none.
pub(crate) fn project_data(project: &Project) -> Option<PathBuf> {
    let workspace = project.store.workspace().as_os_str().as_encoded_bytes();
    let key: String = Digest::of_bytes(workspace).hex().chars().take(16).collect();
    Some(signoff_data(&project.process)?.join("projects").join(key))
}

/// The harness's own directories of the person: its data, its state and the settings.
pub(crate) fn own_directories(project: &Project) -> Vec<PathBuf> {
    let settings = project
        .process
        .user_config
        .as_deref()
        .and_then(Path::parent);
    let own = [
        signoff_data(&project.process),
        project.process.state_dir.clone(),
        settings.map(Path::to_owned),
    ];
    own.into_iter().flatten().collect()
}

/// Where the locks of login files are. Processes of all projects share them.
pub(crate) fn login_locks(project: &Project) -> Option<PathBuf> {
    let state = project.process.state_dir.as_ref();
    Some(state?.join("logins"))
}

/// Where what runs of all projects share is kept: the person's own state, or the store where there is none.
pub(crate) fn own_state(project: &Project) -> PathBuf {
    let state = project.process.state_dir.clone();
    state.unwrap_or_else(|| project.store.dir().to_owned())
}

fn signoff_data(process: &ProcessContext) -> Option<PathBuf> {
    let variable = |name: &str| process.variables.get(OsStr::new(name)).map(PathBuf::from);
    let absolute = |path: &PathBuf| path.is_absolute();
    let data = variable("XDG_DATA_HOME").filter(absolute);
    let home = variable("HOME").filter(absolute);
    let data = data.or_else(|| Some(home?.join(".local/share")))?;
    Some(data.join("signoff"))
}

/// Why there is no directory for trees, if so.
pub(crate) fn no_data_directory(process: &ProcessContext, workspace: &Path) -> Option<String> {
    match worktrees_below(process) {
        None => Some("neither HOME nor XDG_DATA_HOME says where trees could be".to_owned()),
        Some(directory) if directory.starts_with(workspace) => Some(format!(
            "trees would be in the checkout itself, in {}",
            directory.display()
        )),
        Some(_) => None,
    }
}

/// Is there a place for trees?
pub(crate) fn has_data_directory(process: &ProcessContext, workspace: &Path) -> bool {
    no_data_directory(process, workspace).is_none()
}

/// The outermost directory outside of the tree that contains this path: one above it could be renamed.
pub(crate) fn top_directory(tree: &Path, path: &Path) -> PathBuf {
    let below = path.strip_prefix(tree).ok();
    let first = below.and_then(|below| below.components().next());
    first.map_or_else(|| path.to_owned(), |first| tree.join(first))
}
