//! Every plan of the store, newest first. Listing also does the housekeeping that time asks for, and
//! says so.

use std::collections::HashSet;
use std::path::PathBuf;

use signoff_engine::PlanState;
use signoff_store::index::PlanRow;

use super::Doing;
use super::housekeeping::{Undone, keep_house};
use super::index::{Archive, Found, Kind, Shelf, Trouble, refresh};
use crate::clock::timestamp;
use crate::error::Error;
use crate::project::{Project, relative};

/// Which plans somebody wants to see.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    /// Only those in one of these states; empty: in any.
    pub states: Vec<PlanState>,
    /// Archived ones too.
    pub archived: bool,
}

/// One plan of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its id, else its path.
    pub key: String,
    /// What to type for it: its id or, of a thread, the name of its directory; else its path. `None`
    /// where only its file tells which plan is meant: it is archived, and has a successor.
    pub name: Option<String>,
    /// Its title.
    pub title: String,
    /// Its state.
    pub state: PlanState,
    /// Its version, where its dialect has one.
    pub version: Option<u64>,
    /// When it last changed.
    pub updated_at: String,
    /// How the signature over its present text is known to be a person's.
    pub proof: Option<String>,
    /// Its file or directory.
    pub path: PathBuf,
    /// It is in the archive.
    pub archived: bool,
}

/// What `list` found.
#[derive(Debug)]
pub struct Listing {
    /// The plans that are wanted, newest first.
    pub plans: Vec<Listed>,
    /// How many plans, wanted or not, wait for a person's decision.
    pub pending: usize,
    /// What was done, and what a person should know.
    pub notes: Vec<String>,
    /// What time asked for and could not be done: the store is read-only, say.
    pub undone: Option<Undone>,
    /// What could not be read.
    pub troubles: Vec<Trouble>,
}

/// Lists the plans. Those that nothing happened to for too long are cancelled first, and those that
/// were finished long ago archived.
pub fn list(doing: Doing<'_>, wanted: &Wanted) -> Result<Listing, Error> {
    let project = doing.project;
    let archive = if wanted.archived {
        Archive::Checked
    } else {
        Archive::AsKnown
    };
    let look = || refresh(project, doing.clock.now(), archive);
    let mut shelf = look()?;
    let house = keep_house(doing, &shelf);
    if house.moved {
        shelf = look()?;
    }
    let mut notes = house.notes;
    notes.extend(doubles(project, &shelf));
    let pending = shelf
        .rows()
        .filter(|(found, _, state)| found.place.kind != Kind::Archive && waits(*state))
        .count();
    let names = Names::of(project, &shelf);
    let mut plans: Vec<(u64, Listed)> = shelf
        .rows()
        .filter(|(found, _, _)| wanted.archived || found.place.kind != Kind::Archive)
        .filter(|(_, _, state)| wanted.states.is_empty() || wanted.states.contains(state))
        .map(|(found, row, state)| (row.updated(), listed(project, &names, (found, row, state))))
        .collect();
    plans.sort_by(|(one, a), (other, b)| {
        let names = || (&a.key, &a.path).cmp(&(&b.key, &b.path));
        other.cmp(one).then_with(names)
    });
    Ok(Listing {
        plans: plans.into_iter().map(|(_, plan)| plan).collect(),
        pending,
        notes,
        undone: house.undone,
        troubles: shelf.troubles,
    })
}

/// Does a plan in this state wait for a person to decide about it?
fn waits(state: PlanState) -> bool {
    matches!(state, PlanState::Verified | PlanState::NeedsReview)
}

fn listed(
    project: &Project,
    names: &Names<'_>,
    (found, row, state): (&Found, &PlanRow, PlanState),
) -> Listed {
    Listed {
        key: row.key.clone(),
        name: names.name(found, row),
        title: row.title.clone(),
        state,
        version: row.version,
        updated_at: timestamp(row.updated()),
        proof: row.proof.clone(),
        path: found.path(project),
        archived: found.place.kind == Kind::Archive,
    }
}

/// What to type for plans.
struct Names<'a> {
    /// What the keys of plans without an id begin with that are kept in the store.
    kept: String,
    /// Keys of the plans that are not in the archive.
    present: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    fn of(project: &Project, shelf: &'a Shelf) -> Self {
        let present = shelf
            .rows()
            .filter(|(found, _, _)| found.place.kind != Kind::Archive)
            .map(|(_, row, _)| row.key.as_str());
        Self {
            kept: format!("{}/", relative(project, &project.store.plans_dir())),
            present: present.collect(),
        }
    }

    fn name(&self, found: &Found, row: &PlanRow) -> Option<String> {
        let archived = found.place.kind == Kind::Archive;
        if archived && self.present.contains(row.key.as_str()) {
            return None;
        }
        // The name of a file has a dot, that of a thread's directory none.
        let thread = row.key.strip_prefix(&self.kept);
        let thread = thread.filter(|name| !name.contains(['/', '.']));
        Some(thread.unwrap_or(&row.key).to_owned())
    }
}

/// Two files with one id: nobody could tell which of them was signed.
fn doubles(project: &Project, shelf: &Shelf) -> Vec<String> {
    let mut keys: Vec<&str> = shelf.rows().map(|(_, row, _)| row.key.as_str()).collect();
    keys.sort_unstable();
    let mut twice: Vec<&str> = keys
        .windows(2)
        .filter_map(|pair| match pair {
            [one, other] if one == other => Some(*one),
            _ => None,
        })
        .collect();
    twice.dedup();
    let note = |key| {
        let found = shelf.rows().filter(|(_, row, _)| row.key == key);
        let mut paths: Vec<String> = found
            .map(|(found, _, _)| relative(project, &found.path(project)))
            .collect();
        paths.sort();
        format!(
            "`{key}` is the id of {} files, and nothing can be done to it until they differ: {}",
            paths.len(),
            paths.join(", ")
        )
    };
    twice.into_iter().map(note).collect()
}

#[cfg(test)]
mod tests;
