//! Brings the index of plans up to date: what looks as it did is taken from it, the rest is read.
//!
//! What an index says is never a path: names come from directories, keys are encoded, and the file
//! that a log names is looked for inside the workspace only.

mod entry;
mod places;
mod seen;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use signoff_engine::{Millis, PlanState};
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::index::{self, Folders, Index, IndexEntry, PlanCounts, PlanRow};

pub(crate) use self::places::{Kind, Place, is_real};
use crate::error::Error;
use crate::project::Project;

/// Everything there is, by place.
#[derive(Debug)]
pub(crate) struct Shelf {
    pub(crate) found: Vec<Found>,
    /// What could not be read.
    pub(crate) troubles: Vec<Trouble>,
}

/// What is in one place.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) place: Place,
    pub(crate) entry: IndexEntry,
}

/// A plan or a log that could not be read, and so is missing in a list.
#[derive(Debug)]
pub struct Trouble {
    /// Where.
    pub path: PathBuf,
    /// Why.
    pub error: Error,
}

/// How closely archived plans are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Archive {
    /// Those that are known stay as they are: nothing moves them any more.
    AsKnown,
    /// Like all others.
    Checked,
}

/// What every look at a plan needs.
struct Look<'a> {
    project: &'a Project,
    workspace: DiskWorkspace,
    folders: Folders,
    now: Millis,
}

impl Shelf {
    /// The plans: where each is, what is known of it, and its state.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&Found, &PlanRow, PlanState)> {
        self.found.iter().filter_map(|found| {
            let row = found.entry.row.as_ref()?;
            Some((found, row, PlanState::named(&row.state)?))
        })
    }

    /// Takes out the plans whose logs are none, and says so.
    fn leave_out(&mut self, project: &Project, logs: places::NoLogs) {
        for (log, error) in logs {
            let name = Some(log.name);
            self.found.retain(|found| {
                let row = found.entry.row.as_ref();
                row.is_none_or(|row| places::log_name(&project.store, &row.key) != name)
            });
            let path = log.path;
            self.troubles.push(Trouble { path, error });
        }
    }

    /// What the logs add up to, each counted once.
    pub(crate) fn tallies<'a>(
        &'a self,
        project: &Project,
    ) -> BTreeMap<PathBuf, (&'a PlanCounts, Option<&'a PlanRow>)> {
        let mut tallies = BTreeMap::new();
        for found in &self.found {
            let row = found.entry.row.as_ref();
            let log = match (found.place.kind, row) {
                (Kind::Log, _) => found.place.path.clone(),
                (Kind::Plans | Kind::Archive, Some(row)) => project.store.log_path(&row.key),
                (Kind::Plans | Kind::Archive, None) => continue,
            };
            tallies.entry(log).or_insert((&found.entry.tally, row));
        }
        tallies
    }
}

impl Found {
    /// The plan's file or directory.
    pub(crate) fn path(&self, project: &Project) -> PathBuf {
        match (self.place.kind, &self.entry.path) {
            (Kind::Log, Some(path)) => project.store.workspace().join(path),
            _ => self.place.path.clone(),
        }
    }
}

/// Finds every plan of the store, reading as little as it can.
pub(crate) fn refresh(project: &Project, now: Millis, archive: Archive) -> Result<Shelf, Error> {
    let settings = settings(project);
    let mut old = Index::load(&project.store, &settings).entries;
    let known = old.len();
    let look = Look {
        project,
        workspace: project.workspace(),
        folders: Folders::open(&project.store),
        now,
    };
    let mut shelf = Shelf {
        found: Vec::new(),
        troubles: Vec::new(),
    };
    let mut changed = look.sort_out(places::kept(project)?, archive, &mut old, &mut shelf);
    let (mut logs, others) = places::logs(project)?;
    shelf.leave_out(project, others);
    let covered: HashSet<String> = shelf
        .rows()
        .filter(|(_, row, _)| !row.double)
        .filter_map(|(_, row, _)| places::log_name(&project.store, &row.key))
        .collect();
    logs.retain(|place| !covered.contains(&place.name));
    changed |= look.sort_out(logs, archive, &mut old, &mut shelf);
    // What is left in the old index is nowhere any more.
    if changed || known != shelf.found.len() {
        save(project, &settings, &shelf);
    }
    Ok(shelf)
}

/// Not being able to write is no reason not to list, nor is a list one to make a store.
fn save(project: &Project, settings: &str, shelf: &Shelf) {
    if !project.store.dir().is_dir() || project.store.refuse_links().is_err() {
        return;
    }
    let mut index = Index::empty(settings);
    for found in &shelf.found {
        index
            .entries
            .insert(found.place.label(), found.entry.clone());
    }
    index.save(&project.store).ok();
}

/// Everything besides files that decides what is found. Not the PATH, although checks ask for
/// commands: every shell has its own, and none makes a signed plan another.
fn settings(project: &Project) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!("{version}\n{:?}", project.config)
}

impl Look<'_> {
    /// Takes what is still true from the old entries and reads the rest; was anything different?
    fn sort_out(
        &self,
        places: Vec<Place>,
        archive: Archive,
        old: &mut BTreeMap<String, IndexEntry>,
        shelf: &mut Shelf,
    ) -> bool {
        let mut unknown = Vec::new();
        for place in places {
            match old.remove(&place.label()) {
                Some(entry) if self.still_true(&place, &entry, archive) => {
                    shelf.found.push(Found { place, entry });
                }
                other => unknown.push((place, other)),
            }
        }
        let mut changed = false;
        for (place, before, read) in self.read_all(unknown) {
            match read {
                Ok(entry) => {
                    changed |= before.as_ref() != Some(&entry);
                    shelf.found.push(Found { place, entry });
                }
                // Gone since the directory was read: another list may be moving it.
                Err(Error::Unreadable { why, .. }) if why.kind() == NOT_FOUND => {}
                Err(error) => shelf.troubles.push(Trouble {
                    path: place.path,
                    error,
                }),
            }
        }
        changed
    }

    fn still_true(&self, place: &Place, entry: &IndexEntry, archive: Archive) -> bool {
        let row = entry.row.as_ref();
        let settled = place.kind == Kind::Archive && row.is_some_and(|row| !row.unlogged_move);
        if settled && archive == Archive::AsKnown {
            return true;
        }
        let readable = row.is_none_or(|row| PlanState::named(&row.state).is_some());
        !entry.again
            && readable
            && index::StampHash::of(&seen::present(self, place, entry)) == entry.seen
    }

    /// Reads these places, with all processors where there are many.
    fn read_all(&self, places: Vec<(Place, Option<IndexEntry>)>) -> Vec<Read> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let each = places.len().div_ceil(threads).max(FEW);
        let read = |(place, before): (Place, Option<IndexEntry>)| {
            let entry = entry::read(self, &place);
            (place, before, entry)
        };
        let mut chunks = Vec::new();
        let mut rest = places;
        while rest.len() > each {
            let tail = rest.split_off(each);
            chunks.push(std::mem::replace(&mut rest, tail));
        }
        std::thread::scope(|scope| {
            let others: Vec<_> = chunks
                .into_iter()
                .map(|chunk| scope.spawn(move || chunk.into_iter().map(read).collect::<Vec<_>>()))
                .collect();
            let mut all: Vec<Read> = rest.into_iter().map(read).collect();
            for other in others {
                match other.join() {
                    Ok(some) => all.extend(some),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        })
    }
}

type Read = (Place, Option<IndexEntry>, Result<IndexEntry, Error>);

const NOT_FOUND: std::io::ErrorKind = std::io::ErrorKind::NotFound;

/// Starting a thread costs more than reading so many.
const FEW: usize = 64;
