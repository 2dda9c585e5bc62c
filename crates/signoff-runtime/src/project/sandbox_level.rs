//! How strongly this machine can confine a process.

use signoff_sandbox::{FailedLevel, Level, Probe, ProbeError, probe};
use signoff_store::config::SandboxMode;
use signoff_store::failpoint;

use super::Project;
use crate::error::Error;

const LEVELS: [Level; 4] = [
    Level::None,
    Level::Landlock,
    Level::Bubblewrap,
    Level::Namespaces,
];

/// The level that the configuration asks for and this machine offers.
pub(crate) fn level(project: &Project) -> Result<Level, Error> {
    level_in(project.config.sandbox.mode.value)
}

fn level_in(mode: SandboxMode) -> Result<Level, Error> {
    match mode {
        SandboxMode::Off => Ok(Level::None),
        SandboxMode::Auto | SandboxMode::Required => strongest_level(),
    }
}

/// Whether something can be mounted here. Where the trial fails, a run reports the reason.
pub(crate) fn can_mount(mode: SandboxMode) -> bool {
    level_in(mode).map_or(true, Level::uses_mounts)
}

/// What works here.
pub(crate) fn strongest_level() -> Result<Level, Error> {
    Ok(probe_levels().map_err(probe_error)?.level)
}

/// What works here, and why nothing stronger does.
pub(crate) fn strongest_level_with_reasons() -> Result<(Level, Vec<String>), Error> {
    let found = probe_levels().map_err(probe_error)?;
    let why = found.failed_levels.iter();
    let why = why.map(|tried| format!("{}: {}", tried.level, tried.why));
    Ok((found.level, why.collect()))
}

/// The result of the probe; a test may lower it.
pub(crate) fn probe_levels() -> Result<Probe, ProbeError> {
    let found = probe()?;
    let wanted = failpoint::sandbox_level().and_then(|name| level_named(&name));
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

fn probe_error(error: ProbeError) -> Error {
    Error::Unconfined {
        wanted: "to know what this machine can enforce".to_owned(),
        found: "unknown".to_owned(),
        why: vec![error.to_string()],
    }
}

pub(crate) fn level_named(name: &str) -> Option<Level> {
    LEVELS.into_iter().find(|level| level.to_string() == name)
}
