//! What time asks for: plans that waited too long expire, finished ones go to the archive. Announced,
//! never silent.
//!
//! The index only says which plans to look at. What is done to each is decided under its lock, from
//! its file and its log.

use signoff_engine::{Act, Actor, Millis, PlanState, after};
use signoff_store::atomic;
use signoff_store::index::PlanRow;

use super::Doing;
use super::archive::{Archived, archive_if_due, log_move};
use super::held::Held;
use super::index::{Found, Kind, Shelf};
use super::stale::DAY;
use crate::error::Error;
use crate::project::{Project, relative};

/// What was done, in words.
#[derive(Debug, Default)]
pub(super) struct House {
    pub(super) notes: Vec<String>,
    /// Something is different from what the shelf says.
    pub(super) moved: bool,
    pub(super) undone: Option<Undone>,
}

/// Plans that are due to expire or to be archived, and why nothing was done to them.
#[derive(Debug)]
pub struct Undone {
    /// How many.
    pub plans: usize,
    /// What happened to the first of them.
    pub error: Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chore {
    Expire,
    Archive,
    LogMove,
}

/// Does all chores that are due. What cannot be done is said once and changes nothing about a list.
pub(super) fn keep_house(doing: Doing<'_>, shelf: &Shelf) -> House {
    let doing = Doing {
        actor: Actor::Harness,
        ..doing
    };
    // What killed writers left; where nothing can be written it is in nobody's way either.
    let store = &doing.project.store;
    if store.refuse_links().is_ok() {
        for directory in [store.plans_dir(), store.logs_dir()] {
            atomic::clear_strays(&directory).ok();
        }
    }
    let mut house = House::default();
    let due: Vec<_> = chores(doing, shelf).collect();
    for (at, (found, chore)) in due.iter().enumerate() {
        match done(doing, found, *chore) {
            Ok(notes) => {
                house.moved |= !notes.is_empty() || *chore == Chore::LogMove;
                house.notes.extend(notes);
            }
            // Somebody else was quicker, or the plan is named as a double anyway.
            Err(Error::Unreadable { why, .. }) if why.kind() == std::io::ErrorKind::NotFound => {}
            Err(Error::DuplicateId { .. }) => {}
            Err(error) => {
                let plans = due.len() - at;
                house.undone = Some(Undone { plans, error });
                break;
            }
        }
    }
    house
}

/// Which plan needs what.
pub(super) fn chores<'a>(
    doing: Doing<'a>,
    shelf: &'a Shelf,
) -> impl Iterator<Item = (&'a Found, Chore)> {
    let now = doing.clock.now();
    shelf.rows().filter_map(move |(found, row, state)| {
        chore(doing.project, now, found.place.kind, row, state).map(|chore| (found, chore))
    })
}

fn chore(
    project: &Project,
    now: Millis,
    kind: Kind,
    row: &PlanRow,
    state: PlanState,
) -> Option<Chore> {
    if row.unlogged_move {
        return Some(Chore::LogMove);
    }
    let rules = &project.rules;
    let older = |since: Millis, days: u64| now.saturating_sub(since) > days.saturating_mul(DAY);
    let may_expire = after(state, Act::Expire, Actor::Harness).is_ok();
    let active = match (row.active, kind) {
        // One that nothing happened to here goes by its own word, if it has one. Where nothing ever
        // did, looking is not what begins it.
        (None, Kind::Plans) if may_expire && project.store.dir().is_dir() => row.written,
        (active, _) => active?,
    };
    match kind {
        Kind::Plans | Kind::Log if may_expire && older(active, rules.stale_after_days) => {
            Some(Chore::Expire)
        }
        Kind::Plans if state.is_finished() && older(active, rules.archive_after_days) => {
            Some(Chore::Archive)
        }
        _ => None,
    }
}

fn done(doing: Doing<'_>, found: &Found, chore: Chore) -> Result<Vec<String>, Error> {
    let path = found.path(doing.project);
    let name = relative(doing.project, &path);
    match chore {
        // Opening an expired plan cancels it, and notes that.
        Chore::Expire => Ok(Held::open(doing, &path, &name)?.notes),
        Chore::Archive => {
            let archived = archive_if_due(doing, &path, &name)?;
            Ok(archived.map_or_else(Vec::new, |archived| announced(doing, archived)))
        }
        Chore::LogMove => {
            log_move(doing, &path, &name)?;
            Ok(Vec::new())
        }
    }
}

pub(super) fn announced(doing: Doing<'_>, archived: Archived) -> Vec<String> {
    let Archived { key, to, notes, .. } = archived;
    let days = doing.project.rules.archive_after_days;
    let there = relative(doing.project, &to);
    let mut said = notes;
    said.push(format!(
        "{key} was finished more than {days} days ago and is archived: {there}"
    ));
    said
}
