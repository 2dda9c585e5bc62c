//! Where plans can be.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustix::fs::FileType;
use signoff_store::atomic;
use signoff_store::index::{Folder, Folders};

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
    folders: &Folders,
    strays: &mut bool,
) -> Vec<PlanLocation> {
    let archive = project.store.archive_dir();
    // A link is not a plan.
    let may_be = |path: &Path, found: FileType| {
        if found.is_dir() {
            path != archive
        } else {
            !found.is_symlink() && has_ending(path, &ENDINGS)
        }
    };
    let plans = scan(
        folders.plans.as_ref(),
        PlanLocationKind::Plans,
        strays,
        may_be,
    );
    let archived = scan(
        folders.archive.as_ref(),
        PlanLocationKind::Archive,
        &mut false,
        may_be,
    );
    let both = plans.into_iter().chain(archived);
    both.map(|(location, _)| location).collect()
}

/// What has the name of a log and cannot be one, with why: a plan with such a log must not be missing
/// in silence.
pub(super) type NoLogs = Vec<(PlanLocation, Error)>;

/// The logs there are, and what only looks like one.
pub(super) fn log_locations(folders: &Folders, strays: &mut bool) -> (Vec<PlanLocation>, NoLogs) {
    let is_log = |path: &Path, _| has_ending(path, &["jsonl"]);
    let (mut logs, mut others) = (Vec::new(), Vec::new());
    for (location, found) in scan(folders.logs.as_ref(), PlanLocationKind::Log, strays, is_log) {
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
    (logs, others)
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
    folder: Option<&Folder>,
    kind: PlanLocationKind,
    strays: &mut bool,
    may_be: impl Fn(&Path, FileType) -> bool,
) -> Vec<(PlanLocation, FileType)> {
    let mut locations = Vec::new();
    for (folder, (name, found)) in folder.into_iter().flat_map(entries) {
        // A name that is not a text has no place in an index, and no command could be given it.
        let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else {
            *strays |= atomic::is_stray(&name.to_string_lossy());
            continue;
        };
        let path = folder.path.join(name);
        if may_be(&path, *found) {
            let name = name.to_owned();
            locations.push((PlanLocation { kind, name, path }, *found));
        }
    }
    locations
}

fn entries(folder: &Folder) -> impl Iterator<Item = (&Folder, &(OsString, FileType))> {
    folder.entries.iter().map(move |entry| (folder, entry))
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| endings.contains(&ending))
}
