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
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use signoff_engine::{Millis, PlanState};
use signoff_sandbox::start_scoped_thread;
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::index::{
    self, Folders, Index, IndexEntry, KeptEntries, KeptIndex, PlanCounts, PlanRow,
};
use signoff_store::root::Store;

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
    /// The same, as a process that lists again and again keeps it.
    pub(crate) kept: Option<KeptEntries>,
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
            Some((found, row, PlanState::from_name(&row.state)?))
        })
    }

    /// Removes the plans whose logs cannot be read, and reports them.
    fn remove_unlogged(&mut self, logs: locations::NoLogs) {
        for (log, error) in logs {
            self.found.retain(|found| {
                let row = found.entry.row.as_ref();
                row.is_none_or(|row| Store::log_name(&row.key) != log.name)
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
    let kept = project.kept_index.as_deref().map(KeptIndex::entries);
    let kept = kept.filter(|kept| !kept.is_empty());
    let mut old = match &kept {
        Some(kept) => BTreeMap::clone(kept),
        None => Index::load(&project.store, settings).entries,
    };
    let known = old.len();
    let context = ReadContext::of(project, now)?;
    let mut indexed = IndexedPlans {
        found: Vec::new(),
        troubles: Vec::new(),
        has_strays: false,
        kept: None,
    };
    let plans = locations::plan_locations(project, &context.folders, &mut indexed.has_strays);
    let mut changed = context.refresh_entries(plans, archive, &mut old, &mut indexed);
    let (mut logs, others) = locations::log_locations(&context.folders, &mut indexed.has_strays);
    indexed.remove_unlogged(others);
    let covered: HashSet<String> = indexed
        .rows()
        .filter_map(|(_, row, _)| covered_log(row))
        .collect();
    logs.retain(|location| !covered.contains(&location.name));
    changed |= context.refresh_entries(logs, archive, &mut old, &mut indexed);
    // What is left in the old index no longer exists.
    changed |= known != indexed.found.len();
    if changed {
        save(project, settings, &indexed);
    }
    indexed.kept = match (&project.kept_index, kept) {
        (Some(_), Some(kept)) if !changed => Some(kept),
        (Some(index), _) => Some(index.keep_entries(indexed.entries())),
        (None, _) => None,
    };
    Ok(indexed)
}

/// Would [`refresh`] find what it kept then, without reading anything? Archived plans are taken as they are known.
pub(crate) fn is_unchanged(project: &Project, now: Millis, then: &KeptEntries) -> bool {
    let kept = project.kept_index.as_deref().map(KeptIndex::entries);
    if !kept.is_some_and(|kept| Arc::ptr_eq(&kept, then)) {
        return false;
    }
    let Ok(context) = ReadContext::of(project, now) else {
        return false;
    };
    let mut strays = false;
    let plans = locations::plan_locations(project, &context.folders, &mut strays);
    let (mut logs, others) = locations::log_locations(&context.folders, &mut strays);
    let known = |location: &PlanLocation| {
        let entry = then.get(&location.label())?;
        let current = context.is_current(location, entry, Archive::AsKnown);
        current.then_some(entry)
    };
    let Some(entries) = plans.iter().map(known).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let rows = entries.iter().filter_map(|entry| entry.row.as_ref());
    let covered: HashSet<String> = rows.filter_map(covered_log).collect();
    logs.retain(|location| !covered.contains(&location.name));
    !strays
        && others.is_empty()
        && plans.len() + logs.len() == then.len()
        && logs.iter().all(|location| known(location).is_some())
}

/// The log that is read with this plan, and so has no location of its own.
fn covered_log(row: &PlanRow) -> Option<String> {
    (!row.double).then(|| Store::log_name(&row.key))
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

impl<'a> ReadContext<'a> {
    fn of(project: &'a Project, now: Millis) -> Result<Self, Error> {
        let folders = Folders::open(&project.store);
        Ok(Self {
            project,
            workspace: OnceLock::new(),
            folders: folders.map_err(|(path, why)| Error::Unreadable { path, why })?,
            now,
        })
    }

    fn workspace(&self) -> &DiskWorkspace {
        self.workspace.get_or_init(|| self.project.workspace())
    }

    /// Takes unchanged entries from the old index and reads the rest; returns whether anything differs.
    fn refresh_entries(
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
        let readable = row.is_none_or(|row| PlanState::from_name(&row.state).is_some());
        !entry.again
            && readable
            && self.stamp_hash(&stamps::current_stamps(self, location, entry), row) == entry.seen
    }

    /// How everything looks that an entry is made from. The PATH is one of the terms that a signature covers; whether an
    /// unsigned plan is in order does not depend on whose shell asks.
    fn stamp_hash(
        &self,
        stamps: &[Option<index::Stamp>],
        row: Option<&PlanRow>,
    ) -> index::StampHash {
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
