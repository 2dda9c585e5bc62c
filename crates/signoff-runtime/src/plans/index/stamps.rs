//! Stamps of the files that an index entry was made from.

use std::path::Path;

use signoff_engine::Millis;
use signoff_store::index::{IndexEntry, PlanRow, Stamp};
use signoff_store::runs::is_run_id;

use super::ReadContext;
use super::locations::{PlanLocation, PlanLocationKind, path_inside_project};

/// How everything looks now that this entry was made from.
pub(super) fn current_stamps(
    context: &ReadContext<'_>,
    location: &PlanLocation,
    entry: &IndexEntry,
) -> Vec<Option<Stamp>> {
    let elsewhere = entry
        .path
        .as_deref()
        .filter(|_| location.kind == PlanLocationKind::Log);
    let elsewhere = elsewhere.and_then(|path| path_inside_project(context.project, path));
    file_stamps(context, location, elsewhere.as_deref(), entry.row.as_ref())
}

/// The plan's files, then its log, its signatures and its run. `elsewhere` is the file that a log
/// names.
pub(super) fn file_stamps(
    context: &ReadContext<'_>,
    location: &PlanLocation,
    elsewhere: Option<&Path>,
    row: Option<&PlanRow>,
) -> Vec<Option<Stamp>> {
    let mut stamps = Vec::with_capacity(4);
    let folders = &context.folders;
    match location.kind {
        PlanLocationKind::Plans => {
            push_plan_stamps(&location.path, folders.plan(&location.name), &mut stamps);
        }
        PlanLocationKind::Archive => {
            push_plan_stamps(
                &location.path,
                folders.archived_stamp(&location.name),
                &mut stamps,
            );
        }
        PlanLocationKind::Log => {
            if let Some(path) = elsewhere {
                push_plan_stamps(path, Stamp::of(path), &mut stamps);
            }
            stamps.push(Stamp::of(&location.path));
        }
    }
    let Some(row) = row else {
        return stamps;
    };
    if location.kind != PlanLocationKind::Log {
        stamps.push(folders.log(&row.key));
    }
    stamps.push(folders.signatures(&row.key));
    if let Some(run) = row.run.as_deref().filter(|run| is_run_id(run)) {
        stamps.push(Stamp::of_run(&context.project.store, run));
    }
    stamps
}

/// A file; of a thread, its directories and every file: writing one changes no directory.
fn push_plan_stamps(path: &Path, stamp: Option<Stamp>, stamps: &mut Vec<Option<Stamp>>) {
    stamps.push(stamp);
    if !stamp.is_some_and(|stamp| stamp.is_directory()) {
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
    stamps.iter().flatten().any(|stamp| stamp.is_racy(now))
}
