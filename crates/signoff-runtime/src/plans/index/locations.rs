//! Where plans can be.

use std::fs::FileType;
use std::io;
use std::path::{Component, Path, PathBuf};

use signoff_store::atomic;
use signoff_store::root::Store;

use crate::error::Error;
use crate::project::Project;

/// Endings of plan files.
const ENDINGS: [&str; 4] = ["md", "yaml", "yml", "json"];

/// What kind of place it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanLocationKind {
    /// Where proposals are kept.
    Plans,
    /// Where finished plans go.
    Archive,
    /// The log of a plan that is in neither of the two.
    Log,
}

/// A file or directory that may be a plan, or the log of one.
#[derive(Debug)]
pub(crate) struct PlanLocation {
    pub(crate) kind: PlanLocationKind,
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

impl PlanLocation {
    /// Its name in the index.
    pub(super) fn label(&self) -> String {
        let Self { kind, name, .. } = self;
        match kind {
            PlanLocationKind::Plans => format!("plans/{name}"),
            PlanLocationKind::Archive => format!("archive/{name}"),
            PlanLocationKind::Log => format!("log/{name}"),
        }
    }
}

/// What may be a plan among the proposals and in the archive. `strays`: there are files that killed writers left.
pub(super) fn plan_locations(
    project: &Project,
    strays: &mut bool,
) -> Result<Vec<PlanLocation>, Error> {
    let store = &project.store;
    let archive = store.archive_dir();
    // A link is not a plan.
    let may_be = |path: &Path, found: FileType| {
        if found.is_dir() {
            path != archive
        } else {
            !found.is_symlink() && has_ending(path, &ENDINGS)
        }
    };
    let mut locations = scan(&store.plans_dir(), PlanLocationKind::Plans, strays, may_be)?;
    locations.extend(scan(
        &archive,
        PlanLocationKind::Archive,
        &mut false,
        may_be,
    )?);
    Ok(locations
        .into_iter()
        .map(|(location, _)| location)
        .collect())
}

/// What has the name of a log and cannot be one, with why: a plan with such a log must not be missing
/// in silence.
pub(super) type NoLogs = Vec<(PlanLocation, Error)>;

/// The logs there are, and what only looks like one.
pub(super) fn log_locations(
    project: &Project,
    strays: &mut bool,
) -> Result<(Vec<PlanLocation>, NoLogs), Error> {
    let is_log = |path: &Path, _| has_ending(path, &["jsonl"]);
    let (mut logs, mut others) = (Vec::new(), Vec::new());
    let logs_dir = project.store.logs_dir();
    for (location, found) in scan(&logs_dir, PlanLocationKind::Log, strays, is_log)? {
        if found.is_file() {
            logs.push(location);
            continue;
        }
        let path = location.path.clone();
        let error = if found.is_symlink() {
            Error::LeadsAway { path }
        } else {
            let why = io::Error::other("this is not a file, so the history of the plan is unknown");
            Error::Unreadable { path, why }
        };
        others.push((location, error));
    }
    Ok((logs, others))
}

/// The name of a plan's log.
pub(crate) fn log_name(store: &Store, key: &str) -> Option<String> {
    let path = store.log_path(key);
    path.file_name()?.to_str().map(str::to_owned)
}

/// The file that a log names, if it is one of the project's. A log comes with the repository: it
/// must not lead anywhere else.
pub(crate) fn path_inside_project(project: &Project, path: &str) -> Option<PathBuf> {
    let plain = |part| matches!(part, Component::Normal(_));
    let path = Path::new(path);
    let leads_down = path.components().all(plain) && path.components().next().is_some();
    leads_down.then(|| project.store.workspace().join(path))
}

/// Whether a directory of the store is where its name says, and not a link to somewhere else.
pub(crate) fn is_real(directory: &Path) -> bool {
    directory.canonicalize().is_ok_and(|real| real == directory)
}

/// The entries of a directory that may be plans or logs. Hidden files are skipped.
fn scan(
    directory: &Path,
    kind: PlanLocationKind,
    strays: &mut bool,
    may_be: impl Fn(&Path, FileType) -> bool,
) -> Result<Vec<(PlanLocation, FileType)>, Error> {
    let unreadable = |why: io::Error| Error::Unreadable {
        path: directory.to_owned(),
        why,
    };
    let entries = match std::fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(unreadable)?,
    };
    let mut locations = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        let found = entry.file_type().map_err(unreadable)?;
        let name = entry.file_name();
        // A name that is not a text has no place in an index, and no command could be given it.
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
            *strays |= atomic::is_stray(&name.to_string_lossy());
            continue;
        };
        let path = directory.join(name);
        if may_be(&path, found) {
            let name = name.to_owned();
            locations.push((PlanLocation { kind, name, path }, found));
        }
    }
    Ok(locations)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.contains(&ending))
}
