//! How recorded trees are shown to processes: by overlays where they can be mounted, by copies elsewhere.

use std::fmt;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use signoff_sandbox::{Level, OverlayTrialError, try_overlay};
use signoff_store::failpoint;

use super::create_private;
use crate::error::Error;
use crate::project::{Project, directories};

/// How the tree that a process works on is shown to it, the weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum OverlayLevel {
    /// It is the checkout itself.
    Shared,
    /// By a directory of its own, mounted at the checkout's path.
    Copy,
    /// By an overlay whose uppermost layer is in shared memory.
    OverlayInMemory,
    /// By an overlay whose uppermost layer lies beside the trees.
    Overlay,
}

impl OverlayLevel {
    const ALL: [Self; 4] = [
        Self::Shared,
        Self::Copy,
        Self::OverlayInMemory,
        Self::Overlay,
    ];

    /// The one with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|level| level.to_string() == name)
    }

    /// The best one that a sandbox of this level can have.
    pub(super) fn best_at(level: Level) -> Self {
        match level {
            Level::Namespaces => Self::Overlay,
            level if level.uses_mounts() => Self::Copy,
            _ => Self::Shared,
        }
    }
}

impl fmt::Display for OverlayLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shared => "shared",
            Self::Copy => "copy",
            Self::OverlayInMemory => "overlay-tmpfs",
            Self::Overlay => "overlay",
        })
    }
}

/// How recorded trees are shown.
#[derive(Debug, Clone)]
pub(crate) enum OverlayMode {
    /// By overlays, whose uppermost layers are in this directory.
    Overlays(PathBuf),
    /// By directories of their own, where overlays cannot be mounted.
    Copies,
}

impl OverlayMode {
    /// The word for it in evidence.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Overlays(_) => "overlay",
            Self::Copies => "copy",
        }
    }
}

/// How a run's trees are shown to processes: by overlays where they can be mounted, beside the trees or in shared
/// memory.
pub(crate) fn overlay_mode(
    project: &Project,
    run: &str,
    level: Level,
) -> Result<OverlayMode, Error> {
    let (Level::Namespaces, Some(root)) = (level, directories::run_root(project, run)) else {
        return Ok(OverlayMode::Copies);
    };
    let trial = try_overlays(project, [root, shared_memory_dir()?.join(run)])?;
    Ok(trial
        .upper_layers
        .map_or(OverlayMode::Copies, OverlayMode::Overlays))
}

/// How trees of the project's runs will be shown, tried where those lie, and why not better.
pub(crate) fn overlay_level(
    project: &Project,
    level: Level,
) -> Result<(OverlayLevel, Vec<String>), Error> {
    let (Level::Namespaces, Some(data)) = (level, directories::project_data(project)) else {
        let why = format!("overlays are mounted at level `namespaces` only, not at `{level}`");
        return Ok((OverlayLevel::Copy, vec![why]));
    };
    let trial = try_overlays(project, [data, shared_memory_dir()?])?;
    Ok((trial.level, trial.why))
}

/// Where runs of this user keep in shared memory what cannot lie beside their trees.
fn shared_memory_dir() -> Result<PathBuf, Error> {
    let this = Path::new("/proc/self");
    let user = this.metadata().map_err(Error::cannot_read(this))?.uid();
    Ok(PathBuf::from(format!("/dev/shm/signoff-{user}")))
}

/// The result of trying overlays.
struct OverlayTrial {
    level: OverlayLevel,
    /// The directory for their upper layers. `None` if trees have to be copied.
    upper_layers: Option<PathBuf>,
    /// Why the level is not higher.
    why: Vec<String>,
}

/// Tries upper layers beside the trees, then in shared memory.
fn try_overlays(project: &Project, [beside, memory]: [PathBuf; 2]) -> Result<OverlayTrial, Error> {
    let most = failpoint::overlay_level().and_then(|name| OverlayLevel::from_name(&name));
    let mut why = Vec::new();
    for (level, upper_layers) in [
        (OverlayLevel::Overlay, beside),
        (OverlayLevel::OverlayInMemory, memory),
    ] {
        if most.is_some_and(|most| level > most) {
            why.push(format!("{level}: a test wants less"));
            continue;
        }
        create_private(&upper_layers).map_err(Error::cannot_read(&upper_layers))?;
        match try_overlay(&upper_layers, project.store.workspace()) {
            Ok(()) => {
                let upper_layers = Some(upper_layers);
                return Ok(OverlayTrial {
                    level,
                    upper_layers,
                    why,
                });
            }
            Err(OverlayTrialError::Fails { why: reason }) => why.push(format!("{level}: {reason}")),
            Err(why @ OverlayTrialError::Inconclusive { .. }) => {
                return Err(Error::Sandbox(std::io::Error::other(why.to_string())));
            }
        }
    }
    Ok(OverlayTrial {
        level: OverlayLevel::Copy,
        upper_layers: None,
        why,
    })
}
