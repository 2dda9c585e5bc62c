//! Housekeeping: plans that waited too long expire, finished ones move to the archive. Each is
//! reported.
//!
//! The index only says which plans to look at. What is done to each is decided under its lock, from
//! its file and its log.

use signoff_engine::{Actor, Millis, PlanState, Transition, state_after};
use signoff_store::atomic;
use signoff_store::index::{PlanCounts, PlanRow};

use super::archive::{ArchiveReport, archive_if_due, log_move};
use crate::clock::timestamp;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plans::ActorContext;
use crate::plans::index::{IndexedPlan, IndexedPlans, PlanLocationKind};
use crate::plans::locked::LockedPlan;
use crate::plans::locked::expiry::{DAY, days_expired, has_staleness, waits_since};
use crate::plans::status::plan_status;
use crate::project::{Project, relative};

/// What the housekeeping did.
#[derive(Debug, Default)]
pub(crate) struct HousekeepingReport {
    pub(crate) notes: Vec<String>,
    /// Something changed since the index was read.
    pub(crate) moved: bool,
    pub(crate) undone: Option<HousekeepingError>,
}

/// Plans that are due to expire or to be archived, and why nothing was done to them.
#[derive(Debug)]
pub struct HousekeepingError {
    /// How many.
    pub plans: usize,
    /// What happened to the first of them.
    pub error: Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HousekeepingTask {
    Expire,
    Archive,
    LogMove,
    /// Its run stopped without a word: its file still says that it goes on.
    MarkStalled,
}

/// What is done to plans one after the other is done at once.
const AT_ONCE: Millis = 60 * 1000;

/// Does all tasks that are due. A failure is reported once and does not affect the list. `expire`: a person wants all to
/// expire that are due.
pub(crate) fn do_housekeeping(
    context: ActorContext<'_>,
    indexed: &IndexedPlans,
    expire: bool,
) -> HousekeepingReport {
    let context = ActorContext {
        actor: Actor::Harness,
        ..context
    };
    // Files that killed writers left. Where nothing can be written they do no harm.
    let store = &context.project.store;
    if indexed.has_strays && store.refuse_links().is_ok() {
        for directory in [store.plans_dir(), store.logs_dir()] {
            atomic::clear_strays(&directory).ok();
        }
    }
    let mut report = HousekeepingReport::default();
    let mut due: Vec<_> = due_tasks(context, indexed).collect();
    for task in [HousekeepingTask::Expire, HousekeepingTask::Archive] {
        let is_told = expire && task == HousekeepingTask::Expire;
        let plans = due.iter().filter(|(_, due)| *due == task).count();
        if !is_told && is_more_than_before(context, indexed, &due, task) {
            due.retain(|(_, due)| *due != task);
            report.notes.push(question(context, task, plans));
        }
    }
    for (at, (found, chore)) in due.iter().enumerate() {
        match perform_task(context, found, *chore) {
            Ok(notes) => {
                report.moved |= !notes.is_empty() || *chore == HousekeepingTask::LogMove;
                report.notes.extend(notes);
            }
            // Another process did it first, or the list reports the duplicate anyway.
            Err(Error::Unreadable { why, .. }) if why.kind() == std::io::ErrorKind::NotFound => {}
            Err(Error::DuplicateId { .. }) => {}
            Err(error) => {
                let plans = due.len() - at;
                report.undone = Some(HousekeepingError { plans, error });
                break;
            }
        }
    }
    report
}

/// Would this be done to more plans than the last time? Then the clock may be wrong.
fn is_more_than_before(
    context: ActorContext<'_>,
    indexed: &IndexedPlans,
    due: &[(&IndexedPlan, HousekeepingTask)],
    task: HousekeepingTask,
) -> bool {
    let unasked = done_last_time(context.project, indexed, task).len().max(1);
    let of_task = || due.iter().filter(|(_, due)| *due == task);
    // The index only says that a plan may have waited too long.
    let is_certain =
        |found: &IndexedPlan| task != HousekeepingTask::Expire || has_expired(context, found);
    let certain = of_task().filter(|(found, _)| is_certain(found));
    of_task().count() > unasked && certain.take(unasked + 1).count() > unasked
}

/// The plans to which this was done when it was last done to any, where that was not taken back.
pub(super) fn done_last_time<'a>(
    project: &Project,
    indexed: &'a IndexedPlans,
    task: HousekeepingTask,
) -> Vec<Option<&'a PlanRow>> {
    let tallies = indexed.tallies(project);
    let done = |tally: &PlanCounts| match task {
        HousekeepingTask::Expire => tally.expired,
        HousekeepingTask::Archive => tally.archived,
        HousekeepingTask::LogMove | HousekeepingTask::MarkStalled => 0,
    };
    let times = tallies.values().map(|(tally, row)| (done(tally), *row));
    let times: Vec<_> = times.filter(|(at, _)| *at > 0).collect();
    let last = times.iter().map(|(at, _)| *at).max().unwrap_or_default();
    let at_once = times.into_iter().filter(|(at, _)| last - at < AT_ONCE);
    at_once.map(|(_, row)| row).collect()
}

/// Has the plan waited too long? The index only says that it may have.
fn has_expired(context: ActorContext<'_>, found: &IndexedPlan) -> bool {
    let project = context.project;
    let plan = PlanFile::read(&found.path(project), "", &project.workspace()).ok();
    let known = plan.and_then(|plan| Some((plan_status(project, &plan).ok()?, plan)));
    let now = context.clock.now();
    known.is_some_and(|(status, plan)| days_expired(&status, &plan, now, project).is_some())
}

/// Which plan needs what.
pub(crate) fn due_tasks<'a>(
    context: ActorContext<'a>,
    indexed: &'a IndexedPlans,
) -> impl Iterator<Item = (&'a IndexedPlan, HousekeepingTask)> {
    let now = context.clock.now();
    indexed.rows().filter_map(move |(found, row, state)| {
        due_task(context.project, now, found.location.kind, row, state).map(|chore| (found, chore))
    })
}

fn due_task(
    project: &Project,
    now: Millis,
    kind: PlanLocationKind,
    row: &PlanRow,
    state: PlanState,
) -> Option<HousekeepingTask> {
    if row.unlogged_move {
        return Some(HousekeepingTask::LogMove);
    }
    if state == PlanState::Stalled && kind != PlanLocationKind::Archive {
        return Some(HousekeepingTask::MarkStalled);
    }
    let rules = &project.rules;
    let older = |since: Millis, days: u64| now.saturating_sub(since) > days.saturating_mul(DAY);
    let may_expire =
        has_staleness(project) && state_after(state, Transition::Expire, Actor::Harness).is_ok();
    let active = match (row.active, kind) {
        // One that nothing happened to here goes by its own word, if it has one.
        (None, PlanLocationKind::Plans) if may_expire => waits_since(project, row.written)?,
        (active, _) => active?,
    };
    match kind {
        PlanLocationKind::Plans | PlanLocationKind::Log
            if may_expire && older(active, rules.stale_after_days) =>
        {
            Some(HousekeepingTask::Expire)
        }
        PlanLocationKind::Plans
            if state.is_finished() && older(active, rules.archive_after_days) =>
        {
            Some(HousekeepingTask::Archive)
        }
        _ => None,
    }
}

fn perform_task(
    context: ActorContext<'_>,
    found: &IndexedPlan,
    chore: HousekeepingTask,
) -> Result<Vec<String>, Error> {
    let path = found.path(context.project);
    let name = relative(context.project, &path);
    match chore {
        // Opening an expired plan cancels it, and notes that.
        HousekeepingTask::Expire => Ok(LockedPlan::open(context, &path, &name)?.notes),
        HousekeepingTask::Archive => {
            let archived = archive_if_due(context, &path, &name)?;
            Ok(archived.map_or_else(Vec::new, |archived| announcement(context, archived)))
        }
        HousekeepingTask::LogMove => {
            log_move(context, &path, &name)?;
            Ok(Vec::new())
        }
        HousekeepingTask::MarkStalled => {
            let locked = LockedPlan::open(context, &path, &name)?;
            if locked.status.state == PlanState::Stalled {
                locked.conclude_quietly(PlanState::Stalled)?;
            }
            Ok(Vec::new())
        }
    }
}

/// Asks before something is done to many plans.
fn question(context: ActorContext<'_>, task: HousekeepingTask, plans: usize) -> String {
    let rules = &context.project.rules;
    let now = timestamp(context.clock.now());
    let (which, days, what) = match task {
        HousekeepingTask::Archive => (
            "finished plans",
            rules.archive_after_days,
            "`signoff archive` moves those to the archive",
        ),
        _ => (
            "plans",
            rules.stale_after_days,
            "`signoff list --expire` cancels those that waited so long",
        ),
    };
    format!(
        "{plans} {which} look as if nothing happened to them for {days} days, if it is {now} now; {what}"
    )
}

pub(crate) fn announcement(context: ActorContext<'_>, archived: ArchiveReport) -> Vec<String> {
    let ArchiveReport { key, to, notes, .. } = archived;
    let days = context.project.rules.archive_after_days;
    let there = relative(context.project, &to);
    let mut said = notes;
    said.push(format!(
        "{key} was finished more than {days} days ago and is archived: {there}; `signoff archive --restore {there}` takes that back"
    ));
    said
}
