//! How the files behind an entry look.

use std::path::Path;

use signoff_engine::Millis;
use signoff_store::index::{Entry, Row, Stamp};
use signoff_store::runs::is_run_id;

use super::places::{Kind, Place, inside};
use crate::project::Project;

/// A file that was written this short a time before it was read may have been written again since
/// without looking different: clocks of file systems are coarse.
const RACY: Millis = 2000;

/// How everything looks now that this entry was made from.
pub(super) fn present(project: &Project, place: &Place, entry: &Entry) -> Vec<Option<Stamp>> {
    let path = match place.kind {
        Kind::Plans | Kind::Archive => Some(place.path.clone()),
        Kind::Log => entry.path.as_deref().and_then(|path| inside(project, path)),
    };
    stamps(project, place, path.as_deref(), entry.row.as_ref())
}

/// The plan's files, then its log, its signatures and its run.
pub(super) fn stamps(
    project: &Project,
    place: &Place,
    text: Option<&Path>,
    row: Option<&Row>,
) -> Vec<Option<Stamp>> {
    let store = &project.store;
    let mut stamps = Vec::with_capacity(4);
    if let Some(text) = text {
        of_text(text, &mut stamps);
    }
    if place.kind == Kind::Log {
        stamps.push(Stamp::of(&place.path));
    }
    let Some(row) = row else {
        return stamps;
    };
    if place.kind != Kind::Log {
        stamps.push(Stamp::of_log(store, &row.key));
    }
    stamps.push(Stamp::of_signatures(store, &row.key));
    if let Some(run) = row.run.as_deref().filter(|run| is_run_id(run)) {
        stamps.push(Stamp::of_run(store, run));
    }
    stamps
}

/// A file; of a thread, its directories and every file: writing one changes no directory.
fn of_text(path: &Path, stamps: &mut Vec<Option<Stamp>>) {
    let Ok(found) = std::fs::metadata(path) else {
        return stamps.push(None);
    };
    stamps.push(Some(Stamp::from(&found)));
    if !found.is_dir() {
        return;
    }
    let tasks = path.join("tasks");
    stamps.push(Stamp::of(&path.join("plan.md")));
    stamps.push(Stamp::of(&tasks));
    let entries = std::fs::read_dir(tasks).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).collect();
    files.sort();
    stamps.extend(files.iter().map(|file| Stamp::of(file)));
}

/// Was any of these written so short a time ago that the next write might not show?
pub(super) fn is_racy(stamps: &[Option<Stamp>], now: Millis) -> bool {
    let racy = |stamp: &Stamp| stamp.written().saturating_add(RACY) >= now;
    stamps.iter().flatten().any(racy)
}
