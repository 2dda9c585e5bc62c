//! Cancels plans to which nothing happened for too long, and reports it.

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Actor, Millis, PlanState, Transition, state_after};
use signoff_store::root::StoreKind;

use crate::clock::{Clock, millis, timestamp};
use crate::plan_file::PlanFile;
use crate::plans::status::{PlanStatus, is_among_proposals};
use crate::project::Project;

pub(crate) const DAY: Millis = 24 * 60 * 60 * 1000;

/// After how many days without a change a plan of this definition has expired, if it has. One that
/// was never handed in like this is somebody's file and does not; one that lies among the proposals
/// and never had a log goes by its own word.
pub(crate) fn days_expired(
    status: &PlanStatus,
    plan: &PlanFile,
    now: Millis,
    project: &Project,
) -> Option<u64> {
    if !has_staleness(project) {
        return None;
    }
    let days = project.rules.stale_after_days;
    let history = &status.history;
    let own = || {
        let written = last_written(project, plan).filter(|_| history.entries.is_empty())?;
        waits_since(project, written)
    };
    let last = history
        .last_activity(&plan.digest().to_string())
        .or_else(own)?;
    let old = now.saturating_sub(last) > days.saturating_mul(DAY);
    let may = state_after(status.state, Transition::Expire, Actor::Harness).is_ok();
    (old && may).then_some(days)
}

/// Do plans of this store expire at all? rawko's have no such rule.
pub(crate) fn has_staleness(project: &Project) -> bool {
    project.store.kind() != StoreKind::Rawko
}

/// Since when a proposal waits here that was written then and that nothing happened to here: in a store that another tool
/// made, not before we came to it. `None` where nothing of ours has begun.
pub(crate) fn waits_since(project: &Project, written: Millis) -> Option<Millis> {
    let store = &project.store;
    match store.kind() {
        StoreKind::Own => store.dir().is_dir().then_some(written),
        StoreKind::Pi => Some(written.max(store.adopted_at()?)),
        StoreKind::Rawko => None,
    }
}

/// When a proposal that waits says that it was last written. What another tool calls finished waits
/// for nothing.
fn last_written(project: &Project, plan: &PlanFile) -> Option<Millis> {
    if !is_among_proposals(project, &plan.path) {
        return None;
    }
    let plan = &plan.checked.plan;
    let waits = plan.status.as_deref().is_none_or(|word| {
        matches!(
            PlanState::in_file(word),
            Some(PlanState::Draft | PlanState::Verified | PlanState::Approved)
        )
    });
    let said = ["updated_at", "created_at"]
        .into_iter()
        .find_map(|field| plan.record.get(field)?.as_str())
        .map(millis);
    // An unreadable time counts as missing.
    said.filter(|said| waits && *said > 0)
}

/// The notice for a plan that has expired and is not cancelled yet.
pub fn expiry_notice(
    project: &Project,
    plan: &PlanFile,
    status: &PlanStatus,
    clock: &dyn Clock,
) -> Option<String> {
    let days = days_expired(status, plan, clock.now(), project)?;
    let (name, now) = (plan.source.name(), timestamp(clock.now()));
    Some(format!(
        "{name} has expired: nothing happened to it for {days} days, if it is {now} now, so the next command that changes it cancels it"
    ))
}

/// What the log says about it.
pub(crate) fn event(digest: String, days: u64) -> PlanEvent {
    PlanEvent::PlanCancelled {
        digest,
        by: Actor::Harness.name().to_owned(),
        actor: Actor::Harness.name().to_owned(),
        reason: format!("nothing happened to it for {days} days"),
        run: None,
    }
}

/// The notice for whoever wants something of a plan that expired before.
pub(crate) fn past_notice(plan: &str) -> String {
    format!("{plan} had expired and was cancelled: `signoff propose {plan}` takes that back")
}

/// The notice for a person.
pub(crate) fn notice(plan: &str, days: u64) -> String {
    format!(
        "{plan} has expired: nothing happened to it for {days} days, so it is cancelled; `signoff propose {plan}` takes that back"
    )
}
