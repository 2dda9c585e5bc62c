//! What works on this machine, found by trying it.

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{fmt, io};

use crate::policy::level::Level;
use crate::policy::{Nesting, Tracing};
use crate::trial::level_trial::{self, TrialFailure};

/// What works on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The highest level that works.
    pub level: Level,
    /// Higher levels that were tried and do not work here, highest first.
    pub failed_levels: Vec<FailedLevel>,
    /// Whether a system call filter is installed too, at every level except `None`.
    pub filters_calls: bool,
}

/// What a memory limit applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryScope {
    /// All processes of a command together, and each of them.
    ProcessTree,
    /// Each process by itself: no control group can be made.
    EachProcess,
}

/// A level that does not work here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedLevel {
    pub level: Level,
    /// Why, as one line.
    pub why: String,
}

/// A level could not be tried, so it is unknown what works here, and nothing may start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeError {
    pub level: Level,
    /// Why, as one line.
    pub why: String,
}

impl fmt::Display for ProbeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, why } = self;
        write!(
            f,
            "whether `{level}` works on this machine could not be tried: {why}"
        )
    }
}

impl Error for ProbeError {}

impl From<ProbeError> for io::Error {
    fn from(error: ProbeError) -> Self {
        Self::other(error)
    }
}

/// Finds the highest level that works here, by a command that breaks the rules. Done once per process; if a level could
/// not be tried, the next call tries again.
pub fn probe() -> Result<&'static Probe, ProbeError> {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if let Some(probe) = PROBE.get() {
        return Ok(probe);
    }
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    match PROBE.get() {
        Some(probe) => Ok(probe),
        None => {
            let found = probe_with(&level_trial::trial_directories())?;
            Ok(PROBE.get_or_init(|| found))
        }
    }
}

/// Tries each level in the first of these directories that has free space.
fn probe_with(parents: &[PathBuf]) -> Result<Probe, ProbeError> {
    let mut failed_levels = Vec::new();
    for level in [Level::Namespaces, Level::Bubblewrap, Level::Landlock] {
        match level_trial::try_level(level, parents) {
            Ok(()) => return Ok(probe_of(level, failed_levels)),
            Err(TrialFailure::DoesNotWork(why)) => failed_levels.push(FailedLevel { level, why }),
            // A lower level that works may not be the highest that does.
            Err(TrialFailure::Inconclusive(why)) => return Err(ProbeError { level, why }),
        }
    }
    Ok(probe_of(Level::None, failed_levels))
}

fn probe_of(level: Level, failed_levels: Vec<FailedLevel>) -> Probe {
    Probe {
        level,
        failed_levels,
        filters_calls: crate::confine::seccomp::filter(Nesting::Denied, Tracing::Denied).is_some(),
    }
}

/// Returns what `Policy::memory` limits here. Tried once per process.
pub fn memory_scope() -> MemoryScope {
    if crate::launch::memory_limit::has_groups() {
        return MemoryScope::ProcessTree;
    }
    MemoryScope::EachProcess
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nowhere_to_try_is_no_level() {
        let missing = tempfile::tempdir().unwrap().path().join("missing");
        for parents in [&["/proc".into(), missing][..], &[]] {
            let error = probe_with(parents).unwrap_err();
            assert_eq!(error.level, Level::Namespaces);
            assert!(error.to_string().contains("no place to try it"), "{error}");
        }
    }
}
