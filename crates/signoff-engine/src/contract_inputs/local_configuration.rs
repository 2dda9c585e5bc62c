//! Configuration files that count only near the directory in which a runner is started.

use signoff_plan::glob;

use super::known_files::may_be_remade_from;

/// Files that a runner reads only in the directory in which it is started, and without which it cannot be started
/// there.
const STARTS: [&str; 10] = [
    "Makefile",
    "makefile",
    "GNUmakefile",
    "justfile",
    "Justfile",
    ".justfile",
    "Taskfile.*",
    "taskfile.*",
    "Rakefile",
    "noxfile.py",
];

/// Files that count only in the directory in which a runner is started or above it.
const LOCAL: [&str; 1] = ["package.json"];

/// The same, of runners whose neighbours (`ruff`) read them in every directory.
const LOCAL_TO_PYTEST: [&str; 8] = [
    "pyproject.toml",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    "tox.toml",
    "setup.cfg",
];

/// When a new configuration file has no effect where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HarmlessIf {
    /// None of the [`start_files`] was in its directory before.
    WithoutStart,
    /// Its directory is new.
    NewDirectory,
    /// No manifest of cargo lies beside or above it.
    WithoutManifest,
}

/// When a configuration file has no effect; `None` if it may count wherever it lies.
pub(super) fn harmless_if(path: &str) -> Option<HarmlessIf> {
    let (_, name) = path.rsplit_once('/')?;
    let is = |names: &[&str]| names.iter().any(|wanted| glob::matches(wanted, name));
    if is(&STARTS) || may_be_remade_from(name) {
        Some(HarmlessIf::WithoutStart)
    } else if is(&LOCAL) || is(&LOCAL_TO_PYTEST) {
        Some(HarmlessIf::NewDirectory)
    } else {
        (name == "build.rs").then_some(HarmlessIf::WithoutManifest)
    }
}

/// Files beside which a runner could be started before, by the names of [`STARTS`] that are not patterns.
pub(super) fn start_files() -> impl Iterator<Item = &'static str> {
    let names = STARTS.into_iter().filter(|name| !name.contains('*'));
    names.chain(["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"])
}

/// Whether programs that a contract does not name may read this file wherever it lies.
pub(super) fn is_read_by_neighbours(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    LOCAL_TO_PYTEST.contains(&name)
}
