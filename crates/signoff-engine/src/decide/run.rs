//! Inputs about the run as a whole, and its tree.

use super::Refusal;
use crate::event::{EarlierStep, Event, Outcome, PlanningUsage, RunTree};
use crate::input::{CheckoutChanges, RunStart};
use crate::state::Run;

pub(super) fn start_run(run: &Run, start: RunStart) -> Result<Vec<Event>, Refusal> {
    if run.started {
        return Err(Refusal::OutOfPlace {
            what: "a second start",
        });
    }
    let mut events = vec![Event::RunStarted {
        run: start.run,
        plan: start.plan,
        path: start.path,
        digest: start.digest,
        terms: start.terms,
        settings: start.settings,
    }];
    events.extend(earlier_events(start.earlier));
    events.extend(planning_spent(start.planning));
    Ok(events)
}

/// What was used for the plan before.
pub(super) fn planning_spent(planning: Vec<PlanningUsage>) -> Option<Event> {
    (!planning.is_empty()).then_some(Event::PlanningSpent { planning })
}

/// What is known of steps from before.
pub(super) fn earlier_events(known: Vec<(String, EarlierStep)>) -> Vec<Event> {
    let known = known.into_iter();
    let events = known.map(|(step, earlier)| Event::EarlierStep {
        step,
        earlier: Box::new(earlier),
    });
    events.collect()
}

/// Continues a failed run.
pub(super) fn reopen(run: &Run, by: String) -> Result<Vec<Event>, Refusal> {
    if run.outcome != Some(Outcome::Failed) {
        return Err(Refusal::OutOfPlace { what: "going on" });
    }
    Ok(vec![Event::RunResumed {
        reopened: true,
        by,
        elsewhere: Vec::new(),
    }])
}

pub(super) fn tree_prepared(run: &Run, tree: RunTree) -> Result<Vec<Event>, Refusal> {
    if run.tree.prepared.is_some() {
        return Err(Refusal::OutOfPlace {
            what: "a second tree",
        });
    }
    Ok(vec![Event::TreePrepared { tree }])
}

pub(super) fn checkout_joined(changes: CheckoutChanges) -> Vec<Event> {
    vec![Event::CheckoutJoined {
        commit: changes.commit,
        tree: changes.tree,
        files: changes.files,
        conflicts: changes.conflicts,
        deleted: changes.deleted,
    }]
}

pub(super) fn files_landed(commit: String, files: Vec<String>, held: Vec<String>) -> Vec<Event> {
    vec![Event::FilesLanded {
        commit,
        files,
        held,
    }]
}
