//! Every plan of the store, newest first. Listing also does the housekeeping that time asks for, and
//! says so.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use signoff_api::approval::ApprovalStatus;
use signoff_api::plans;
use signoff_engine::{Millis, PlanState};
use signoff_store::index::{KeptEntries, PlanRow};

use crate::clock::{Clock, timestamp};
use crate::error::Error;
use crate::plans::ActorContext;
use crate::plans::cleanup::housekeeping::{HousekeepingError, HousekeepingReport, do_housekeeping};
use crate::plans::index::{
    Archive, IndexedPlan, IndexedPlans, PlanLocationKind, UnreadablePlan, is_unchanged, refresh,
};
use crate::project::{Project, relative};

/// Which plans to list.
#[derive(Debug, Clone, Default)]
pub struct ListOptions {
    /// Only those in one of these states; empty: in any.
    pub states: Vec<PlanState>,
    /// Archived ones too.
    pub archived: bool,
    /// Cancel plans that waited too long, however many they are.
    pub expire: bool,
}

/// One plan of the list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPlan {
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
    /// Whose signatures it needs, where more is asked for than one of whomever.
    pub approval: Option<ApprovalStatus>,
    /// Its file or directory.
    pub path: PathBuf,
    /// It is in the archive.
    pub archived: bool,
    /// What its file says of its state, where no run that is known here made it so.
    pub file_says: Option<String>,
    /// How many questions of its run nobody has answered.
    pub questions: usize,
}

impl ListedPlan {
    /// The plan as `list --format json` prints it in this directory.
    pub fn to_api(&self, here: &Path) -> plans::ListedPlan {
        let path = self.path.strip_prefix(here).unwrap_or(&self.path);
        plans::ListedPlan {
            id: self.key.clone(),
            title: self.title.clone(),
            status: self.state.name().to_owned(),
            version: self.version,
            updated_at: self.updated_at.clone(),
            path: path.display().to_string(),
            proof: self.proof.clone(),
            approval: self.approval.clone(),
            file_says: self.file_says.clone(),
            questions: self.questions,
        }
    }
}

/// What `list` found.
#[derive(Debug)]
pub struct Listing {
    /// The plans that are wanted, newest first.
    pub plans: Vec<ListedPlan>,
    /// How many plans, wanted or not, wait for a person's decision.
    pub pending: usize,
    /// What was done, and what a person should know.
    pub notes: Vec<String>,
    /// What time asked for and could not be done: the store is read-only, say.
    pub undone: Option<HousekeepingError>,
    /// What could not be read.
    pub troubles: Vec<UnreadablePlan>,
    /// What tells whether another list would say the same; only where that can be told.
    pub basis: Option<ListBasis>,
}

/// What a list was made from, in a process that keeps its project.
#[derive(Debug, Clone)]
pub struct ListBasis {
    index: KeptEntries,
    at: Millis,
}

/// What time alone brings about, such as a plan that expires, is a matter of days. It is looked for this often.
const LONGEST: Millis = 60 * 1000;

impl ListBasis {
    /// Would another list of the same options say the same? Looks at every file that it was made from, reads no plan, writes
    /// nothing and waits for nobody.
    pub fn is_current(&self, project: &Project, clock: &dyn Clock) -> bool {
        let now = clock.now();
        let age = now.checked_sub(self.at);
        // What other machines did meanwhile, no file here shows.
        let is_local = project.elsewhere.is_none();
        is_local && age.is_some_and(|age| age < LONGEST) && is_unchanged(project, now, &self.index)
    }
}

/// Keys and titles of the plans in one of these states, the newest first. Does no housekeeping.
pub(crate) fn plans_in_state(
    project: &Project,
    clock: &dyn Clock,
    states: &[PlanState],
) -> Result<Vec<(String, String)>, Error> {
    let indexed = refresh(project, clock.now(), Archive::AsKnown)?;
    let rows = indexed
        .rows()
        .filter(|(_, _, state)| states.contains(state));
    let mut rows: Vec<&PlanRow> = rows.map(|(_, row, _)| row).collect();
    rows.sort_by_key(|row| std::cmp::Reverse(row.active.unwrap_or(row.written)));
    let names = rows
        .into_iter()
        .map(|row| (row.key.clone(), row.title.clone()));
    Ok(names.collect())
}

/// How many plans are in one of these states, the archive aside. Does no housekeeping.
pub fn count_in_states(
    project: &Project,
    clock: &dyn Clock,
    states: &[PlanState],
) -> Result<usize, Error> {
    let indexed = refresh(project, clock.now(), Archive::AsKnown)?;
    let is_counted = |(found, _, state): &(&IndexedPlan, &PlanRow, PlanState)| {
        found.location.kind != PlanLocationKind::Archive && states.contains(state)
    };
    Ok(indexed.rows().filter(is_counted).count())
}

/// Lists the plans. Those that nothing happened to for too long are cancelled first, and those that
/// were finished long ago archived.
pub fn list(context: ActorContext<'_>, wanted: &ListOptions) -> Result<Listing, Error> {
    list_after(context, wanted, do_housekeeping)
}

/// The same, but nothing is done: for those who would tell nobody what was done, such as that a plan has expired.
pub fn look(context: ActorContext<'_>, wanted: &ListOptions) -> Result<Listing, Error> {
    list_after(context, wanted, |_, _, _| HousekeepingReport::default())
}

fn list_after(
    context: ActorContext<'_>,
    wanted: &ListOptions,
    keep_house: impl FnOnce(ActorContext<'_>, &IndexedPlans, bool) -> HousekeepingReport,
) -> Result<Listing, Error> {
    let project = context.project;
    let archive = if wanted.archived {
        Archive::Checked
    } else {
        Archive::AsKnown
    };
    let read_index = || refresh(project, context.clock.now(), archive);
    let mut indexed = read_index()?;
    let report = keep_house(context, &indexed, wanted.expire);
    if report.moved {
        indexed = read_index()?;
    }
    let mut notes = report.notes;
    notes.extend(duplicate_notes(project, &indexed));
    let pending = indexed
        .rows()
        .filter(|(found, _, state)| {
            found.location.kind != PlanLocationKind::Archive && waits_for_person(*state)
        })
        .count();
    let names = Names::of(project, &indexed);
    let mut plans: Vec<(u64, ListedPlan)> = indexed
        .rows()
        .filter(|(found, _, _)| wanted.archived || found.location.kind != PlanLocationKind::Archive)
        .filter(|(_, _, state)| wanted.states.is_empty() || wanted.states.contains(state))
        .map(|(found, row, state)| {
            (
                row.updated_at(),
                to_listed(project, &names, (found, row, state)),
            )
        })
        .collect();
    plans.sort_by(|(one, a), (other, b)| {
        let names = || (&a.key, &a.path).cmp(&(&b.key, &b.path));
        other.cmp(one).then_with(names)
    });
    // What is said once, or only of an archive that was looked at, is not said again.
    let is_plain = notes.is_empty()
        && report.undone.is_none()
        && indexed.troubles.is_empty()
        && !indexed.has_strays
        && !wanted.archived;
    let index = indexed.kept.filter(|_| is_plain);
    let at = context.clock.now();
    Ok(Listing {
        basis: index.map(|index| ListBasis { index, at }),
        plans: plans.into_iter().map(|(_, plan)| plan).collect(),
        pending,
        notes,
        undone: report.undone,
        troubles: indexed.troubles,
    })
}

/// Does a plan in this state wait for a person to decide about it?
fn waits_for_person(state: PlanState) -> bool {
    matches!(state, PlanState::Verified | PlanState::NeedsReview)
}

fn to_listed(
    project: &Project,
    names: &Names<'_>,
    (found, row, state): (&IndexedPlan, &PlanRow, PlanState),
) -> ListedPlan {
    ListedPlan {
        key: row.key.clone(),
        name: names.name(found, row),
        title: row.title.clone(),
        state,
        version: row.version,
        updated_at: timestamp(row.updated_at()),
        proof: row.proof.clone(),
        approval: row.approval.clone(),
        path: found.path(project),
        archived: found.location.kind == PlanLocationKind::Archive,
        file_says: row.file_says.clone(),
        questions: row.questions,
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
    fn of(project: &Project, indexed: &'a IndexedPlans) -> Self {
        let present = indexed
            .rows()
            .filter(|(found, _, _)| found.location.kind != PlanLocationKind::Archive)
            .map(|(_, row, _)| row.key.as_str());
        Self {
            kept: format!(
                "{}/",
                relative_path(project.store.workspace(), &project.store.plans_dir())
            ),
            present: present.collect(),
        }
    }

    fn name(&self, found: &IndexedPlan, row: &PlanRow) -> Option<String> {
        let archived = found.location.kind == PlanLocationKind::Archive;
        if archived && self.present.contains(row.key.as_str()) {
            return None;
        }
        // The name of a file has a dot, that of a thread's directory none.
        let thread = row.key.strip_prefix(&self.kept);
        let thread = thread.filter(|name| !name.contains(['/', '.']));
        Some(thread.unwrap_or(&row.key).to_owned())
    }
}

/// Where a directory of the store is: no link leads to it, so its path says it.
fn relative_path(workspace: &Path, directory: &Path) -> String {
    let below = directory.strip_prefix(workspace).unwrap_or(directory);
    below.display().to_string()
}

/// Two files with one id: nobody could tell which of them was signed.
fn duplicate_notes(project: &Project, indexed: &IndexedPlans) -> Vec<String> {
    let mut keys: Vec<&str> = indexed.rows().map(|(_, row, _)| row.key.as_str()).collect();
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
        let found = indexed.rows().filter(|(_, row, _)| row.key == key);
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
