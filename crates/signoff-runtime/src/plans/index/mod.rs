//! Brings the index of plans up to date: unchanged plans are taken from it, the rest is read.
//!
//! What an index says is never a path: names come from directories, keys are encoded, and the file
//! that a log names is looked for inside the workspace only.

mod entry;
mod locations;
mod missing_tools;
mod stamps;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};

use signoff_engine::{Millis, PlanState};
use signoff_sandbox::start_scoped_thread;
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::index::{self, Folders, Index, IndexEntry, KeptIndex, PlanCounts, PlanRow};

pub(crate) use self::locations::{PlanLocation, PlanLocationKind, is_real};
use crate::error::Error;
use crate::project::Project;

/// Every plan of the store, by its location.
#[derive(Debug)]
pub(crate) struct IndexedPlans {
    pub(crate) found: Vec<IndexedPlan>,
    /// What could not be read.
    pub(crate) troubles: Vec<UnreadablePlan>,
    /// There are files that killed writers left.
    pub(crate) has_strays: bool,
}

/// One location and what the index knows of it.
#[derive(Debug)]
pub(crate) struct IndexedPlan {
    pub(crate) location: PlanLocation,
    pub(crate) entry: IndexEntry,
}

/// A plan or a log that could not be read, and so is missing in a list.
#[derive(Debug)]
pub struct UnreadablePlan {
    /// Where.
    pub path: PathBuf,
    /// Why.
    pub error: Error,
}

/// How closely archived plans are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Archive {
    /// Those that are known stay as they are: nothing moves them any more.
    AsKnown,
    /// Like all others.
    Checked,
}

/// What reading a plan needs.
struct ReadContext<'a> {
    project: &'a Project,
    /// Made for the first plan that is read: most lists read none, and it looks for every directory of the PATH.
    workspace: OnceLock<DiskWorkspace>,
    folders: Folders,
    now: Millis,
}

impl IndexedPlans {
    /// What an index keeps of them.
    fn entries(&self) -> BTreeMap<String, IndexEntry> {
        let entry = |found: &IndexedPlan| (found.location.label(), found.entry.clone());
        self.found.iter().map(entry).collect()
    }

    /// The plans: where each is, what is known of it, and its state.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&IndexedPlan, &PlanRow, PlanState)> {
        self.found.iter().filter_map(|found| {
            let row = found.entry.row.as_ref()?;
            Some((found, row, PlanState::named(&row.state)?))
        })
    }

    /// Removes the plans whose logs cannot be read, and reports them.
    fn remove_unlogged(&mut self, project: &Project, logs: locations::NoLogs) {
        for (log, error) in logs {
            let name = Some(log.name);
            self.found.retain(|found| {
                let row = found.entry.row.as_ref();
                row.is_none_or(|row| locations::log_name(&project.store, &row.key) != name)
            });
            let path = log.path;
            self.troubles.push(UnreadablePlan { path, error });
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
            let log = match (found.location.kind, row) {
                (PlanLocationKind::Log, _) => found.location.path.clone(),
                (PlanLocationKind::Plans | PlanLocationKind::Archive, Some(row)) => {
                    project.store.log_path(&row.key)
                }
                (PlanLocationKind::Plans | PlanLocationKind::Archive, None) => continue,
            };
            tallies.entry(log).or_insert((&found.entry.tally, row));
        }
        tallies
    }
}

impl IndexedPlan {
    /// The plan's file or directory.
    pub(crate) fn path(&self, project: &Project) -> PathBuf {
        match (self.location.kind, &self.entry.path) {
            (PlanLocationKind::Log, Some(path)) => project.store.workspace().join(path),
            _ => self.location.path.clone(),
        }
    }
}

/// Finds every plan of the store, reading as little as it can.
pub(crate) fn refresh(
    project: &Project,
    now: Millis,
    archive: Archive,
) -> Result<IndexedPlans, Error> {
    let settings = project.index_settings();
    let kept = project.kept_index.as_deref().map(KeptIndex::take);
    let mut old = kept
        .filter(|kept| !kept.is_empty())
        .unwrap_or_else(|| Index::load(&project.store, settings).entries);
    let known = old.len();
    let context = ReadContext {
        project,
        workspace: OnceLock::new(),
        folders: Folders::open(&project.store),
        now,
    };
    let mut indexed = IndexedPlans {
        found: Vec::new(),
        troubles: Vec::new(),
        has_strays: false,
    };
    let plans = locations::plan_locations(project, &mut indexed.has_strays)?;
    let mut changed = context.sort_out(plans, archive, &mut old, &mut indexed);
    let (mut logs, others) = locations::log_locations(project, &mut indexed.has_strays)?;
    indexed.remove_unlogged(project, others);
    let covered: HashSet<String> = indexed
        .rows()
        .filter(|(_, row, _)| !row.double)
        .filter_map(|(_, row, _)| locations::log_name(&project.store, &row.key))
        .collect();
    logs.retain(|location| !covered.contains(&location.name));
    changed |= context.sort_out(logs, archive, &mut old, &mut indexed);
    // What is left in the old index no longer exists.
    if changed || known != indexed.found.len() {
        save(project, settings, &indexed);
    }
    if let Some(kept) = &project.kept_index {
        kept.keep(indexed.entries());
    }
    Ok(indexed)
}

/// A failed write does not prevent listing, and listing does not create a store.
fn save(project: &Project, settings: &str, indexed: &IndexedPlans) {
    if !project.store.dir().is_dir() || project.store.refuse_links().is_err() {
        return;
    }
    let mut index = Index::empty(settings);
    index.entries = indexed.entries();
    index.save(&project.store).ok();
}

impl ReadContext<'_> {
    fn workspace(&self) -> &DiskWorkspace {
        self.workspace.get_or_init(|| self.project.workspace())
    }

    /// Takes unchanged entries from the old index and reads the rest; returns whether anything differs.
    fn sort_out(
        &self,
        locations: Vec<PlanLocation>,
        archive: Archive,
        old: &mut BTreeMap<String, IndexEntry>,
        indexed: &mut IndexedPlans,
    ) -> bool {
        let mut unknown = Vec::new();
        for location in locations {
            match old.remove(&location.label()) {
                Some(entry) if self.is_current(&location, &entry, archive) => {
                    indexed.found.push(IndexedPlan { location, entry });
                }
                other => unknown.push((location, other)),
            }
        }
        let mut changed = false;
        for (location, before, read) in self.read_all(unknown) {
            match read {
                Ok(entry) => {
                    changed |= before.as_ref() != Some(&entry);
                    indexed.found.push(IndexedPlan { location, entry });
                }
                // Gone since the directory was read: another list may be moving it.
                Err(Error::Unreadable { why, .. }) if why.kind() == NOT_FOUND => {}
                Err(error) => indexed.troubles.push(UnreadablePlan {
                    path: location.path,
                    error,
                }),
            }
        }
        changed
    }

    fn is_current(&self, location: &PlanLocation, entry: &IndexEntry, archive: Archive) -> bool {
        let row = entry.row.as_ref();
        let settled =
            location.kind == PlanLocationKind::Archive && row.is_some_and(|row| !row.unlogged_move);
        if settled && archive == Archive::AsKnown {
            return true;
        }
        let readable = row.is_none_or(|row| PlanState::named(&row.state).is_some());
        !entry.again
            && readable
            && self.seen(&stamps::present(self, location, entry), row) == entry.seen
    }

    /// How everything looks that an entry is made from. The PATH is one of the terms that a signature covers; whether an
    /// unsigned plan is in order does not depend on whose shell asks.
    fn seen(&self, stamps: &[Option<index::Stamp>], row: Option<&PlanRow>) -> index::StampHash {
        let is_signed = row.is_some_and(|row| self.folders.signatures(&row.key).is_some());
        let path = is_signed.then(|| self.project.process.path());
        index::StampHash::of(stamps, path.as_deref())
    }

    /// Reads the plans at these locations; on all processors, if there are many.
    fn read_all(&self, locations: Vec<(PlanLocation, Option<IndexEntry>)>) -> Vec<Read> {
        // Asking how many there are takes longer than reading a few.
        let threads = match locations.len() {
            ..=FEW => 1,
            _ => std::thread::available_parallelism().map_or(1, usize::from),
        };
        let each = locations.len().div_ceil(threads).max(FEW);
        let read = |(location, before): (PlanLocation, Option<IndexEntry>)| {
            let entry = entry::read(self, &location);
            (location, before, entry)
        };
        let mut chunks = Vec::new();
        let mut rest = locations;
        while !rest.is_empty() {
            let tail = rest.split_off(each.min(rest.len()));
            chunks.push((chunks.len(), std::mem::replace(&mut rest, tail)));
        }
        let helpers = chunks.len().saturating_sub(1);
        let chunks = Mutex::new(chunks);
        let next = || chunks.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let work = || {
            let taken = std::iter::from_fn(next);
            let read = taken.map(|(at, chunk)| (at, chunk.into_iter().map(read).collect()));
            read.collect::<Vec<(usize, Vec<Read>)>>()
        };
        let mut all = std::thread::scope(|scope| {
            // Whoever is free takes the next, so all are read even if the machine grants no thread.
            let start = |_| start_scoped_thread(scope, "signoff-index", work).ok();
            let others: Vec<_> = (0..helpers).filter_map(start).collect();
            let mut all = work();
            for other in others {
                match other.join() {
                    Ok(some) => all.extend(some),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            all
        });
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().flat_map(|(_, some)| some).collect()
    }
}

type Read = (PlanLocation, Option<IndexEntry>, Result<IndexEntry, Error>);

const NOT_FOUND: std::io::ErrorKind = std::io::ErrorKind::NotFound;

/// Starting a thread costs more than reading so many.
const FEW: usize = 64;
