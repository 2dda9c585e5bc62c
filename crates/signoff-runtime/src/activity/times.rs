//! The times of changes, from logs and journals: a reader who was away gets the times of the events, not of the
//! reading.

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Event, PlanState};

use crate::clock::{millis, timestamp};
use crate::drive::journal::read_events;
use crate::plan_history::{PlanHistory, is_expiry, lifecycle_fact};
use crate::project::Project;

/// A state that a plan came into.
pub(super) struct ReachedState {
    pub(super) state: PlanState,
    pub(super) at: String,
    pub(super) version: Option<u64>,
}

/// The states that the plan's log records after this time, oldest first. Changes that no log has, such as an edit or a
/// stalled run, are left out.
pub(super) fn states_since(project: &Project, plan: &str, since: &str) -> Vec<ReachedState> {
    let since = millis(since);
    let history = PlanHistory::read(project, plan).unwrap_or_default();
    let mut states: Vec<ReachedState> = Vec::new();
    // One signature of several does not approve a plan: the next entry says whether it did.
    let mut signed: Option<ReachedState> = None;
    for entry in history.entries.iter().filter(|entry| entry.at > since) {
        let Some((state, version)) = state_after(&entry.event) else {
            continue;
        };
        let reached = ReachedState {
            state,
            at: timestamp(entry.at),
            version,
        };
        match state {
            PlanState::Approved => signed = Some(reached),
            PlanState::Executing => {
                states.extend(signed.take());
                states.push(reached);
            }
            _ => {
                signed = None;
                states.push(reached);
            }
        }
    }
    states
}

/// The state that an entry of the log leads to, with the plan's version where the entry has it.
fn state_after(event: &PlanEvent) -> Option<(PlanState, Option<u64>)> {
    Some(match event {
        PlanEvent::PlanProposed { version, .. } | PlanEvent::PlanRevised { version, .. } => {
            (PlanState::Verified, *version)
        }
        PlanEvent::PlanApproved { version, .. } => (PlanState::Approved, *version),
        PlanEvent::PlanRejected { version, .. } => (PlanState::Rejected, *version),
        PlanEvent::PlanNeedsReview { .. } => (PlanState::NeedsReview, None),
        PlanEvent::PlanCancelled { .. } => (PlanState::Cancelled, None),
        PlanEvent::PlanRetried { .. } => (PlanState::Approved, None),
        PlanEvent::PlanExecuting { .. } => (PlanState::Executing, None),
        PlanEvent::PlanCompleted { .. } => (PlanState::Completed, None),
        PlanEvent::PlanFailed { .. } | PlanEvent::PlanReplaced { .. } => (PlanState::Failed, None),
        PlanEvent::PlanModelAsked { .. }
        | PlanEvent::PlanCommented { .. }
        | PlanEvent::PlanCommentResolved { .. }
        | PlanEvent::PlanArchived { .. }
        | PlanEvent::PlanRestored { .. }
        | PlanEvent::PlanDeleted { .. } => return None,
    })
}

/// When a run opened this item.
pub(super) fn opened_at(project: &Project, item: &str) -> Option<String> {
    at_event(
        project,
        item,
        |event, name| matches!(event, Event::InboxOpened { item, .. } if item == name),
    )
}

/// When this item of a run was answered.
pub(super) fn answered_at(project: &Project, item: &str) -> Option<String> {
    at_event(
        project,
        item,
        |event, name| matches!(event, Event::InboxAnswered { item, .. } if item == name),
    )
}

fn at_event(
    project: &Project,
    item: &str,
    is_meant: impl Fn(&Event, &str) -> bool,
) -> Option<String> {
    let (run, name) = item.split_once('/')?;
    let mut found = None;
    let journal = project.store.run_dir(run).journal();
    read_events(&journal, |event| {
        if is_meant(&event.event, name) {
            found = Some(timestamp(event.at));
        }
        Ok(())
    })
    .ok()?;
    found
}

/// Was the plan cancelled because it waited too long?
pub(super) fn was_cancelled_as_stale(project: &Project, plan: &str) -> bool {
    let history = PlanHistory::read(project, plan).unwrap_or_default();
    let mut facts = history.entries.iter().rev().map(|entry| &entry.event);
    let newest = facts.find(|event| lifecycle_fact(event).is_some());
    newest.is_some_and(is_expiry)
}
