//! How strongly a run's processes are confined, and what they are confined to.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use signoff_sandbox::{Level, Probe, Sandbox, probe};
use signoff_store::config::Mode;
use signoff_store::failpoint;
use signoff_work::confine::Grounds;

use crate::error::Error;
use crate::project::Project;

const LEVELS: [Level; 4] = [
    Level::None,
    Level::Landlock,
    Level::Bubblewrap,
    Level::Namespaces,
];

/// What the configuration asks for and this machine gives.
pub(crate) fn level(project: &Project) -> Level {
    match project.config.sandbox.mode.value {
        Mode::Off => Level::None,
        Mode::Auto | Mode::Required => strongest(),
    }
}

/// What works here; a test may want less.
fn strongest() -> Level {
    let wanted = failpoint::sandbox_level().and_then(|name| named(&name));
    wanted.unwrap_or_else(|| probe().level)
}

fn named(name: &str) -> Option<Level> {
    LEVELS.into_iter().find(|level| level.to_string() == name)
}

/// Refuses where everything must be confined and cannot be.
pub(crate) fn require(project: &Project) -> Result<(), Error> {
    let mode = project.config.sandbox.mode.value;
    if mode == Mode::Required && !strongest().mounts() {
        return Err(unconfined("a namespace or bubblewrap sandbox", probe()));
    }
    // Half of what was asked for would be taken for the whole.
    if !project.config.sandbox.network.value && !level(project).mounts() {
        let wanted = "a namespace or bubblewrap sandbox for `[sandbox] network = false`";
        return Err(unconfined(wanted, probe()));
    }
    if mode != Mode::Off
        && let Some(why) = &probe().unsure
    {
        return Err(Error::Unconfined {
            wanted: "to know what this machine can enforce".to_owned(),
            found: "none".to_owned(),
            why: vec![why.clone()],
        });
    }
    Ok(())
}

/// The sandbox of a run that began at this level: its evidence names it.
pub(crate) fn sandbox(recorded: &str) -> Result<Sandbox, Error> {
    let level = match named(recorded) {
        None | Some(Level::None) => Level::None,
        Some(wanted) if strongest() >= wanted => strongest(),
        Some(wanted) => return Err(unconfined(&wanted.to_string(), probe())),
    };
    Sandbox::at(level).map_err(Error::Sandbox)
}

fn unconfined(wanted: &str, probe: &Probe) -> Error {
    let tried = probe.tried.iter();
    Error::Unconfined {
        wanted: wanted.to_owned(),
        found: strongest().to_string(),
        why: tried
            .map(|tried| format!("{}: {}", tried.level, tried.why))
            .collect(),
    }
}

/// Where everything is; nothing where nothing is to be confined.
pub(crate) fn grounds(project: &Project, plan: &Path, level: Level) -> Option<Grounds> {
    let config = &project.config.sandbox;
    if config.mode.value == Mode::Off {
        return None;
    }
    let tree = project.store.workspace().to_owned();
    let variable = |name: &str| project.around.variables.get(OsStr::new(name)).cloned();
    let inside = |path: &PathBuf| path.starts_with(&tree);
    let kept = [top(&tree, project.store.dir()), plan.to_owned()];
    let kept = kept.into_iter().chain(own_files(project));
    Some(Grounds {
        kept: kept.filter(inside).collect(),
        home: variable("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute()),
        path: variable("PATH").unwrap_or_default(),
        network: config.network.value,
        processes: Some(config.processes.value),
        memory: config.memory_mb.value.map(|mb| u64::from(mb) << 20),
        level,
        seen: Vec::new(),
        tree,
    })
}

/// The directory directly below the tree that this lies in: one above it could be renamed.
pub(crate) fn top(tree: &Path, path: &Path) -> PathBuf {
    let below = path.strip_prefix(tree).ok();
    let first = below.and_then(|below| below.components().next());
    first.map_or_else(|| path.to_owned(), |first| tree.join(first))
}

/// What decides about later runs, where somebody's home is their project.
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
    let home = project.around.variables.get(OsStr::new("HOME"));
    let home = home
        .map(PathBuf::from)
        .filter(|home| home.starts_with(project.store.workspace()));
    home.iter()
        .flat_map(|home| IN_HOME.map(|name| home.join(name)))
        .collect()
}
