//! Moves a finished plan out of the way. Its log, its signatures and its artifacts stay where they
//! are: it is still known by the same name.
//!
//! The file moves first, then the log says so. Killed in between, the plan is in the archive, found
//! there by its name, and the next list writes the line that is missing. The other way round a plan
//! that somebody took back out of the archive would look like one whose move was cut off.

use std::path::{Path, PathBuf};

use signoff_api::plan_log::PlanEvent;
use signoff_store::{atomic, failpoint};

use super::housekeeping::{HousekeepingTask, chores};
use crate::error::Error;
use crate::plans::ActorContext;
use crate::plans::listing::index::{Archive, is_real, refresh};
use crate::plans::locked::stale::DAY;
use crate::plans::locked::{LockedPlan, same_file};
use crate::project::relative;

/// A plan that was archived just now.
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
pub fn archive(doing: ActorContext<'_>, path: &Path, name: &str) -> Result<ArchiveReport, Error> {
    move_away(LockedPlan::open(doing, path, name)?)
}

/// Archives every plan that was finished long enough ago.
pub fn archive_due(doing: ActorContext<'_>) -> Result<Vec<ArchiveReport>, Error> {
    let shelf = refresh(doing.project, doing.clock.now(), Archive::AsKnown)?;
    let mut archived = Vec::new();
    for (found, chore) in chores(doing, &shelf) {
        if chore == HousekeepingTask::Archive {
            let path = found.path(doing.project);
            let name = relative(doing.project, &path);
            archived.extend(archive_if_due(doing, &path, &name)?);
        }
    }
    Ok(archived)
}

/// Archives a plan if, under its lock, it still is due.
pub(crate) fn archive_if_due(
    doing: ActorContext<'_>,
    path: &Path,
    name: &str,
) -> Result<Option<ArchiveReport>, Error> {
    let held = LockedPlan::open(doing, path, name)?;
    let days = doing.project.rules.archive_after_days;
    let last = held.history().last_lived();
    let age = last.map_or(0, |last| doing.clock.now().saturating_sub(last));
    if !held.standing.state.is_finished() || age <= days.saturating_mul(DAY) {
        return Ok(None);
    }
    move_away(held).map(Some)
}

/// Completes the log of a plan whose move was cut off.
pub(crate) fn log_move(doing: ActorContext<'_>, path: &Path, name: &str) -> Result<(), Error> {
    let held = LockedPlan::open(doing, path, name)?;
    if held.history().path() == Some(held.path().as_str()) {
        return Ok(());
    }
    held.record(&[moved(&held, path)])
}

fn move_away(held: LockedPlan<'_>) -> Result<ArchiveReport, Error> {
    let store = &held.doing.project.store;
    let name = held.plan.source.name().to_owned();
    let state = held.standing.state;
    if !state.is_finished() {
        return Err(Error::NotFinished { plan: name, state });
    }
    let from = held.plan.path.clone();
    let lies_in = |directory: &Path| {
        let parent = from.parent();
        is_real(directory) && parent.is_some_and(|parent| same_file(parent, directory))
    };
    if !lies_in(&store.plans_dir()) {
        let archived = lies_in(&store.archive_dir());
        return Err(Error::NotKept {
            plan: name,
            archived,
        });
    }
    let to = store
        .archive_dir()
        .join(from.file_name().unwrap_or_default());
    atomic::create_directories(&store.archive_dir())?;
    if !is_real(&store.archive_dir()) {
        let path = store.archive_dir();
        return Err(Error::LeadsAway { path });
    }
    if !atomic::move_to(&from, &to)? {
        return Err(Error::NameTaken { path: to });
    }
    held.record(&[moved(&held, &to)])?;
    failpoint::reached("archive.logged");
    Ok(ArchiveReport {
        key: held.key,
        from,
        to,
        notes: held.notes,
    })
}

fn moved(held: &LockedPlan<'_>, to: &Path) -> PlanEvent {
    PlanEvent::PlanArchived {
        path: relative(held.doing.project, to),
        by: held.by(),
    }
}
