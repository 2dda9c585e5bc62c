//! Moves a finished plan out of the way, and back. Its log, its signatures and its artifacts stay where they
//! are: it is still known by the same name.
//!
//! The file moves first, then the log says so. Killed in between, the plan is in the archive, found
//! there by its name, and the next list writes the line that is missing. The other way round a plan
//! that somebody took back out of the archive would look like one whose move was cut off.

use std::path::{Path, PathBuf};

use signoff_api::plan_log::PlanEvent;
use signoff_store::{atomic, failpoint};

use super::housekeeping::{HousekeepingTask, done_last_time, due_tasks};
use crate::error::Error;
use crate::plan_file::same_file;
use crate::plans::ActorContext;
use crate::plans::index::{Archive, PlanLocationKind, is_real, refresh};
use crate::plans::locked::LockedPlan;
use crate::plans::locked::expiry::DAY;
use crate::project::relative;

/// A plan that was archived, or taken out of the archive, just now.
#[derive(Debug)]
pub struct ArchiveReport {
    /// Name in the store.
    pub key: String,
    /// Where it was.
    pub from: PathBuf,
    /// Where it is.
    pub to: PathBuf,
    /// Something that a person should know.
    pub notes: Vec<String>,
}

/// Archives a finished plan, however young.
pub fn archive(context: ActorContext<'_>, path: &Path, name: &str) -> Result<ArchiveReport, Error> {
    move_to_archive(LockedPlan::open(context, path, name)?)
}

/// Archives every plan that was finished long enough ago.
pub fn archive_due(context: ActorContext<'_>) -> Result<Vec<ArchiveReport>, Error> {
    let indexed = refresh(context.project, context.clock.now(), Archive::AsKnown)?;
    let mut archived = Vec::new();
    for (found, chore) in due_tasks(context, &indexed) {
        if chore == HousekeepingTask::Archive {
            let path = found.path(context.project);
            let name = relative(context.project, &path);
            archived.extend(archive_if_due(context, &path, &name)?);
        }
    }
    Ok(archived)
}

/// Archives a plan if, under its lock, it still is due.
pub(crate) fn archive_if_due(
    context: ActorContext<'_>,
    path: &Path,
    name: &str,
) -> Result<Option<ArchiveReport>, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    let days = context.project.rules.archive_after_days;
    let last = locked.history().last_change();
    let age = last.map_or(0, |last| context.clock.now().saturating_sub(last));
    if !locked.status.state.is_finished() || age <= days.saturating_mul(DAY) {
        return Ok(None);
    }
    move_to_archive(locked).map(Some)
}

/// Takes a plan out of the archive.
pub fn restore(context: ActorContext<'_>, path: &Path, name: &str) -> Result<ArchiveReport, Error> {
    let locked = LockedPlan::open(context, path, name)?;
    let store = &context.project.store;
    let from = locked.plan.path.clone();
    if !lies_in(&from, &store.archive_dir()) {
        let plan = locked.plan.source.name().to_owned();
        return Err(Error::NotArchived { plan });
    }
    let to = move_into(&store.plans_dir(), &from)?;
    locked.record(&[PlanEvent::PlanRestored {
        path: relative(context.project, &to),
        by: locked.actor_name(),
    }])?;
    Ok(report(locked, from, to))
}

/// Takes everything out of the archive that was moved there when something last was.
pub fn restore_last(context: ActorContext<'_>) -> Result<Vec<ArchiveReport>, Error> {
    let indexed = refresh(context.project, context.clock.now(), Archive::Checked)?;
    let last = done_last_time(context.project, &indexed, HousekeepingTask::Archive);
    let keys: Vec<_> = last.into_iter().flatten().map(|row| &row.key).collect();
    let mut restored = Vec::new();
    for (found, row, _) in indexed.rows() {
        if found.location.kind == PlanLocationKind::Archive && keys.contains(&&row.key) {
            let path = found.path(context.project);
            let name = relative(context.project, &path);
            restored.push(restore(context, &path, &name)?);
        }
    }
    Ok(restored)
}

/// Completes the log of a plan whose move was cut off.
pub(crate) fn log_move(context: ActorContext<'_>, path: &Path, name: &str) -> Result<(), Error> {
    let locked = LockedPlan::open(context, path, name)?;
    if locked.history().path() == Some(locked.path().as_str()) {
        return Ok(());
    }
    locked.record(&[archived_event(&locked, path)])
}

fn move_to_archive(locked: LockedPlan<'_>) -> Result<ArchiveReport, Error> {
    let store = &locked.context.project.store;
    let name = locked.plan.source.name().to_owned();
    let state = locked.status.state;
    if !state.is_finished() {
        return Err(Error::NotFinished { plan: name, state });
    }
    let from = locked.plan.path.clone();
    if !lies_in(&from, &store.plans_dir()) {
        let archived = lies_in(&from, &store.archive_dir());
        return Err(Error::NotKept {
            plan: name,
            archived,
        });
    }
    let to = move_into(&store.archive_dir(), &from)?;
    locked.record(&[archived_event(&locked, &to)])?;
    failpoint::reach("archive.logged");
    Ok(report(locked, from, to))
}

fn lies_in(plan: &Path, directory: &Path) -> bool {
    let parent = plan.parent();
    is_real(directory) && parent.is_some_and(|parent| same_file(parent, directory))
}

/// Moves a plan of the store into a directory of the store, and replaces nothing there.
fn move_into(directory: &Path, from: &Path) -> Result<PathBuf, Error> {
    let file = from.file_name().expect("a plan in the store has a name");
    let to = directory.join(file);
    atomic::create_directories(directory)?;
    if !is_real(directory) {
        let path = directory.to_owned();
        return Err(Error::LeadsAway { path });
    }
    if !atomic::move_to(from, &to)? {
        return Err(Error::NameTaken { path: to });
    }
    Ok(to)
}

fn report(locked: LockedPlan<'_>, from: PathBuf, to: PathBuf) -> ArchiveReport {
    ArchiveReport {
        key: locked.key,
        from,
        to,
        notes: locked.notes,
    }
}

fn archived_event(locked: &LockedPlan<'_>, to: &Path) -> PlanEvent {
    PlanEvent::PlanArchived {
        path: relative(locked.context.project, to),
        by: locked.actor_name(),
    }
}
