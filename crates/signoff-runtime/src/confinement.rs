//! How strongly a run's processes are confined, and what they are confined to.

use std::ffi::OsStr;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use signoff_sandbox::{
    FailedLevel, Level, OverlayTrialError, Probe, ProbeError, Sandbox, probe, try_overlay,
};
use signoff_store::config::SandboxMode;
use signoff_store::failpoint;
use signoff_work::confine::{Home, HomeOptions, RunPaths};

use crate::error::Error;
use crate::levels::Room;
use crate::project::Project;
use crate::trees::{self, Showing};

const LEVELS: [Level; 4] = [
    Level::None,
    Level::Landlock,
    Level::Bubblewrap,
    Level::Namespaces,
];

/// What the configuration asks for and this machine gives.
pub(crate) fn level(project: &Project) -> Result<Level, Error> {
    level_in(project.config.sandbox.mode.value)
}

fn level_in(mode: SandboxMode) -> Result<Level, Error> {
    match mode {
        SandboxMode::Off => Ok(Level::None),
        SandboxMode::Auto | SandboxMode::Required => strongest(),
    }
}

/// Whether something can be mounted here. Where that could not be tried, whoever runs a plan is told.
pub(crate) fn mounts(mode: SandboxMode) -> bool {
    level_in(mode).map_or(true, Level::uses_mounts)
}

/// What works here.
fn strongest() -> Result<Level, Error> {
    Ok(tried_out().map_err(untried)?.level)
}

/// What works here, and why nothing stronger does.
pub(crate) fn strongest_and_why() -> Result<(Level, Vec<String>), Error> {
    let found = tried_out().map_err(untried)?;
    let why = found.failed_levels.iter();
    let why = why.map(|tried| format!("{}: {}", tried.level, tried.why));
    Ok((found.level, why.collect()))
}

/// What the trials found; a test may want less.
pub(crate) fn tried_out() -> Result<Probe, ProbeError> {
    let found = probe()?;
    let wanted = failpoint::sandbox_level().and_then(|name| named(&name));
    let Some(level) = wanted else {
        return Ok(found.clone());
    };
    let stronger = LEVELS.into_iter().rev().filter(|one| *one > level);
    Ok(Probe {
        level,
        failed_levels: stronger
            .map(|level| FailedLevel {
                level,
                why: "a test wants less".to_owned(),
            })
            .collect(),
        filters_calls: found.filters_calls,
    })
}

fn untried(error: ProbeError) -> Error {
    Error::Unconfined {
        wanted: "to know what this machine can enforce".to_owned(),
        found: "unknown".to_owned(),
        why: vec![error.to_string()],
    }
}

pub(crate) fn named(name: &str) -> Option<Level> {
    LEVELS.into_iter().find(|level| level.to_string() == name)
}

/// Refuses where everything must be confined and cannot be.
pub(crate) fn require(project: &Project) -> Result<(), Error> {
    let mode = project.config.sandbox.mode.value;
    if mode == SandboxMode::Required && !strongest()?.uses_mounts() {
        return Err(unconfined("a namespace or bubblewrap sandbox"));
    }
    // Half of what was asked for would be taken for the whole.
    if !project.config.sandbox.network.value && !level(project)?.uses_mounts() {
        let wanted = "a namespace or bubblewrap sandbox for `[sandbox] network = false`";
        return Err(unconfined(wanted));
    }
    level(project).map(drop)
}

/// The sandbox of a run that began at this level: its evidence names it.
pub(crate) fn sandbox(recorded: &str) -> Result<Sandbox, Error> {
    let level = match named(recorded) {
        None | Some(Level::None) => Level::None,
        Some(wanted) => match strongest()? {
            found if found >= wanted => found,
            _ => return Err(unconfined(&wanted.to_string())),
        },
    };
    Sandbox::with_level(level).map_err(Error::Sandbox)
}

fn unconfined(wanted: &str) -> Error {
    match strongest_and_why() {
        Ok((found, why)) => Error::Unconfined {
            wanted: wanted.to_owned(),
            found: found.to_string(),
            why,
        },
        Err(error) => error,
    }
}

/// How a run's trees are shown to processes: by overlays where they can be mounted, beside the trees or in shared
/// memory.
pub(crate) fn showing(project: &Project, run: &str, level: Level) -> Result<Showing, Error> {
    let (Level::Namespaces, Some(root)) = (level, trees::root(project, run)) else {
        return Ok(Showing::Copies);
    };
    let trial = try_overlays(project, [root, in_memory()?.join(run)])?;
    Ok(trial.place.map_or(Showing::Copies, Showing::Overlays))
}

/// How trees of the project's runs will be shown, tried where those lie, and why not better.
pub(crate) fn room(project: &Project, level: Level) -> Result<(Room, Vec<String>), Error> {
    let (Level::Namespaces, Some(data)) = (level, trees::data(project)) else {
        let why = format!("overlays are mounted at level `namespaces` only, not at `{level}`");
        return Ok((Room::Copy, vec![why]));
    };
    let trial = try_overlays(project, [data, in_memory()?])?;
    Ok((trial.room, trial.why))
}

/// Where runs of this user keep in shared memory what cannot lie beside their trees.
fn in_memory() -> Result<PathBuf, Error> {
    let user = std::fs::metadata("/proc/self");
    let user = user.map_err(Error::Sandbox)?.uid();
    Ok(PathBuf::from(format!("/dev/shm/signoff-{user}")))
}

/// Where overlays work.
struct OverlayTrial {
    room: Room,
    /// Where their upper layers can lie; nowhere, where trees have to be copied.
    place: Option<PathBuf>,
    /// Why there is no better place.
    why: Vec<String>,
}

/// Tries upper layers beside the trees, then in shared memory.
fn try_overlays(project: &Project, [beside, memory]: [PathBuf; 2]) -> Result<OverlayTrial, Error> {
    let most = failpoint::room().and_then(|name| Room::named(&name));
    let mut why = Vec::new();
    for (room, place) in [(Room::Overlay, beside), (Room::OverlayInMemory, memory)] {
        if most.is_some_and(|most| room > most) {
            why.push(format!("{room}: a test wants less"));
            continue;
        }
        make_private(&place).map_err(Error::Sandbox)?;
        match try_overlay(&place, project.store.workspace()) {
            Ok(()) => {
                let place = Some(place);
                return Ok(OverlayTrial { room, place, why });
            }
            Err(OverlayTrialError::Fails { why: reason }) => why.push(format!("{room}: {reason}")),
            Err(why @ OverlayTrialError::Inconclusive { .. }) => {
                return Err(Error::Sandbox(std::io::Error::other(why.to_string())));
            }
        }
    }
    Ok(OverlayTrial {
        room: Room::Copy,
        place: None,
        why,
    })
}

fn make_private(place: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(place)
}

/// Where everything is; nothing where nothing is to be confined.
pub(crate) fn grounds(project: &Project, plan: &Path, level: Level) -> Option<RunPaths> {
    let config = &project.config.sandbox;
    if config.mode.value == SandboxMode::Off {
        return None;
    }
    if level.uses_mounts() {
        // Only what is there can be hidden; a part of it would be made while the first process runs.
        for directory in trees::own_directories(project) {
            make_private(&directory).ok();
        }
    }
    let tree = project.store.workspace().to_owned();
    let variable = |name: &str| project.around.variables.get(OsStr::new(name)).cloned();
    let inside = |path: &PathBuf| path.starts_with(&tree);
    let kept = [top(&tree, project.store.dir()), plan.to_owned()];
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

/// What agents and contracts find of the person's home.
pub(crate) fn home(project: &Project) -> Home {
    let config = &project.config.sandbox;
    let variables = &project.around.variables;
    Home::new(&HomeOptions {
        home: variables.get(OsStr::new("HOME")).map(PathBuf::from),
        other_homes: other_homes(project),
        tree: project.store.workspace().to_owned(),
        variables: variables.clone(),
        visible: config.home.value.clone(),
        writable: config.writable.value.clone(),
    })
}

/// Where the person's things are besides `HOME`: somebody may have set it to another place.
fn other_homes(project: &Project) -> Vec<PathBuf> {
    const MOVED: [&str; 3] = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];
    let user = std::fs::metadata("/proc/self")
        .map(|found| found.uid())
        .ok();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let account = user.and_then(|user| account_home(&accounts, user));
    let root = (user == Some(0)).then(|| PathBuf::from("/root"));
    let value = |name: &&str| project.around.variables.get(OsStr::new(name));
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
