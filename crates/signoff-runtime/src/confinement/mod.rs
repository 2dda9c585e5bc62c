//! How strongly a run's processes are confined, and what they are confined to.

pub mod levels;
mod obstacles;
mod overlays;
mod scratch;

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use signoff_sandbox::{Level, Sandbox};
use signoff_store::config::SandboxMode;
use signoff_work::confine::{Home, HomeOptions, RunPaths};

pub(crate) use self::obstacles::{mount_obstacles, obstacles};
pub(crate) use self::overlays::{OverlayMode, overlay_mode};
pub(crate) use self::scratch::Scratch;
use crate::error::Error;
use crate::project::Project;
use crate::project::directories::{own_directories, top_directory};
use crate::project::sandbox_level::{
    level, level_named, strongest_level, strongest_level_with_reasons,
};

/// Refuses where everything must be confined and cannot be.
pub(crate) fn require(project: &Project) -> Result<(), Error> {
    let mode = project.config.sandbox.mode.value;
    if mode == SandboxMode::Required && !strongest_level()?.uses_mounts() {
        return Err(unconfined_error("a namespace or bubblewrap sandbox"));
    }
    // Without mounts the network stays reachable, although the person has switched it off.
    if !project.config.sandbox.network.value && !level(project)?.uses_mounts() {
        let wanted = "a namespace or bubblewrap sandbox for `[sandbox] network = false`";
        return Err(unconfined_error(wanted));
    }
    level(project).map(drop)
}

/// The sandbox of a run that began at this level: its evidence names it.
pub(crate) fn sandbox(recorded: &str) -> Result<Sandbox, Error> {
    let level = match level_named(recorded) {
        None | Some(Level::None) => Level::None,
        Some(wanted) => match strongest_level()? {
            found if found >= wanted => found,
            _ => return Err(unconfined_error(&wanted.to_string())),
        },
    };
    Sandbox::with_level(level).map_err(Error::Sandbox)
}

fn unconfined_error(wanted: &str) -> Error {
    match strongest_level_with_reasons() {
        Ok((found, why)) => Error::Unconfined {
            wanted: wanted.to_owned(),
            found: found.to_string(),
            why,
        },
        Err(error) => error,
    }
}

fn create_private(directory: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(directory)
}

/// The paths that decide what the run's processes may touch. `None` if processes are not confined.
pub(crate) fn run_paths(project: &Project, plan: &Path, level: Level) -> Option<RunPaths> {
    let config = &project.config.sandbox;
    if config.mode.value == SandboxMode::Off {
        return None;
    }
    if level.uses_mounts() {
        // Only directories that exist can be hidden, and some of these would be made while the first process runs.
        for directory in own_directories(project) {
            create_private(&directory).ok();
        }
    }
    let tree = project.store.workspace().to_owned();
    let variable = |name: &str| project.process.variables.get(OsStr::new(name)).cloned();
    let inside = |path: &PathBuf| path.starts_with(&tree);
    let kept = [top_directory(&tree, project.store.dir()), plan.to_owned()];
    let kept = kept.into_iter().chain(own_files(project));
    Some(RunPaths {
        kept: kept.filter(inside).collect(),
        home: home(project),
        overlays: false,
        path: variable("PATH").unwrap_or_default(),
        network: config.network.value,
        processes: Some(config.processes.value),
        memory: config.memory_mb.value.map(|mb| u64::from(mb) << 20),
        level,
        objects: None,
        shells: Vec::new(),
        tree,
    })
}

/// The part of the person's home that agents and contracts see.
pub(crate) fn home(project: &Project) -> Home {
    let config = &project.config.sandbox;
    let variables = &project.process.variables;
    Home::resolve(&HomeOptions {
        home: variables.get(OsStr::new("HOME")).map(PathBuf::from),
        other_homes: other_homes(project),
        tree: project.store.workspace().to_owned(),
        variables: variables.clone(),
        visible: config.home.value.clone(),
        writable: config.writable.value.clone(),
    })
}

/// Directories of the person besides `HOME`, which may point somewhere else.
fn other_homes(project: &Project) -> Vec<PathBuf> {
    const MOVED: [&str; 3] = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];
    let user = std::fs::metadata("/proc/self")
        .map(|found| found.uid())
        .ok();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let account = user.and_then(|user| account_home(&accounts, user));
    let root = (user == Some(0)).then(|| PathBuf::from("/root"));
    let value = |name: &&str| project.process.variables.get(OsStr::new(name));
    let moved = MOVED.iter().filter_map(value).map(PathBuf::from);
    account.into_iter().chain(root).chain(moved).collect()
}

/// The home of the user with this number in lines of `name:password:number:group:comment:home:shell`.
fn account_home(accounts: &str, user: u32) -> Option<PathBuf> {
    let user = user.to_string();
    accounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(':').collect();
        let is_it = fields.get(2) == Some(&user.as_str());
        fields.get(5).filter(|_| is_it).map(PathBuf::from)
    })
}

/// Files that decide about later runs, where the project is the person's home.
fn own_files(project: &Project) -> Vec<PathBuf> {
    const IN_HOME: [&str; 9] = [
        ".config/signoff",
        ".local/state/signoff",
        ".ssh",
        ".bashrc",
        ".bash_profile",
        ".profile",
        ".zshrc",
        ".gitconfig",
        ".config/git",
    ];
    let home = project.process.variables.get(OsStr::new("HOME"));
    let home = home
        .map(PathBuf::from)
        .filter(|home| home.starts_with(project.store.workspace()));
    home.iter()
        .flat_map(|home| IN_HOME.map(|name| home.join(name)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_home_of_an_account_is_known() {
        let accounts = "root:x:0:0::/root:/bin/sh\nada:x:1000:1000:Ada:/home/ada:/bin/sh\nx:x:7\n";
        let home = |user| account_home(accounts, user);
        assert_eq!(home(1000), Some("/home/ada".into()));
        assert_eq!(home(0), Some("/root".into()));
        assert_eq!((home(7), home(5)), (None, None));
    }
}
