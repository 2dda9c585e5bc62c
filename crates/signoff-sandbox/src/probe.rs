//! What works on this machine, found by trying it.

use std::error::Error;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::{fmt, io};

use crate::level::Level;
use crate::policy::{Nesting, Tracing};
use crate::trial::{self, Why};

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The highest level that works.
    pub level: Level,
    /// Higher ones, highest first: they were tried and do not work here.
    pub tried: Vec<Tried>,
    /// Whether system calls that nobody needs are refused as well, at every level but `None`.
    pub filters_calls: bool,
}

/// What a limit on memory applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryScope {
    /// All processes of a command together, and each of them.
    ProcessTree,
    /// Each process by itself: no control group can be made.
    EachProcess,
}

/// A level that does not work here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tried {
    pub level: Level,
    /// Why, as one line.
    pub why: String,
}

/// A level could not be tried, so nobody knows what works here. That is no level: nothing may start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UntriedError {
    pub level: Level,
    /// Why, as one line.
    pub why: String,
}

impl fmt::Display for UntriedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { level, why } = self;
        write!(
            f,
            "whether `{level}` works on this machine could not be tried: {why}"
        )
    }
}

impl Error for UntriedError {}

impl From<UntriedError> for io::Error {
    fn from(error: UntriedError) -> Self {
        Self::other(error)
    }
}

/// Returns the highest level that works here, having tried it with a command that breaks the rules. Done once in the
/// life of a process; what could not be tried is tried again by the next call.
pub fn probe() -> Result<&'static Probe, UntriedError> {
    static PROBE: OnceLock<Probe> = OnceLock::new();
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    if let Some(probe) = PROBE.get() {
        return Ok(probe);
    }
    let _lock = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    match PROBE.get() {
        Some(probe) => Ok(probe),
        None => {
            let found = probe_with(&trial::places())?;
            Ok(PROBE.get_or_init(|| found))
        }
    }
}

/// Tries each level in the first of these directories that has room.
fn probe_with(places: &[PathBuf]) -> Result<Probe, UntriedError> {
    let mut tried = Vec::new();
    for level in [Level::Namespaces, Level::Bubblewrap, Level::Landlock] {
        match trial::try_out(level, places) {
            Ok(()) => return Ok(found(level, tried)),
            Err(Why::Fails(why)) => tried.push(Tried { level, why }),
            // A lower one that works is not what this machine can do.
            Err(Why::Untried(why)) => return Err(UntriedError { level, why }),
        }
    }
    Ok(found(Level::None, tried))
}

fn found(level: Level, tried: Vec<Tried>) -> Probe {
    Probe {
        level,
        tried,
        filters_calls: crate::seccomp::filter(Nesting::Denied, Tracing::Denied).is_some(),
    }
}

/// Returns what `Policy::memory` limits here, having tried it. Done once in the life of a process.
pub fn memory_scope() -> MemoryScope {
    if crate::memory_group::works() {
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
        for places in [&["/proc".into(), missing][..], &[]] {
            let error = probe_with(places).unwrap_err();
            assert_eq!(error.level, Level::Namespaces);
            assert!(error.to_string().contains("no place to try it"), "{error}");
        }
    }
}
