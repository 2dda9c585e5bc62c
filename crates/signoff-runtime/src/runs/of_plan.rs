//! All runs of a plan: those that its log names, and those whose directories say that they are its.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{Event, Millis};
use signoff_store::runs::{list, new_run_id};

use crate::drive::journal::first_event;
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::project::Project;
use crate::runs::call_marks::has_calls_of;

/// A run of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlanRun {
    pub(crate) id: String,
    /// The definition that it began with, where that is known without reading all of it.
    pub(crate) digest: Option<String>,
    /// The plan's log names it. A log can be cut together with its head, or be another branch's.
    pub(crate) is_logged: bool,
    /// A person gave it up since: the next one starts from scratch.
    pub(crate) is_given_up: bool,
}

/// The runs of the plan, newest first.
pub(crate) fn runs_of_plan(
    project: &Project,
    key: &str,
    history: &PlanHistory,
) -> Result<Vec<PlanRun>, Error> {
    let LoggedRuns { mut runs, deleted } = logged_runs(history);
    let named: BTreeSet<&str> = history.runs().collect();
    // An earlier plan of the same name, which was deleted, is another plan.
    let first = deleted.map(|at| new_run_id(UNIX_EPOCH + Duration::from_millis(at), 0));
    for entry in list(&project.store)? {
        let is_old = first.as_ref().is_some_and(|first| entry.id < *first);
        if is_old || named.contains(entry.id.as_str()) {
            continue;
        }
        let digest = match first_event(&entry.dir.journal()) {
            Ok(Some(begun)) => match begun.event {
                Event::RunStarted { plan, digest, .. } if plan == key => Some(digest),
                _ => continue,
            },
            // Reading it reports that it is damaged.
            Ok(None) | Err(_) if has_calls_of(&entry.dir, key) => None,
            Ok(None) | Err(_) => continue,
        };
        let place = runs.iter().position(|run| run.id < entry.id);
        let run = PlanRun {
            id: entry.id,
            digest,
            is_logged: false,
            is_given_up: false,
        };
        runs.insert(place.unwrap_or(runs.len()), run);
    }
    Ok(runs)
}

/// What the log says about runs.
struct LoggedRuns {
    /// Newest first.
    runs: Vec<PlanRun>,
    /// When a plan of this name was deleted last.
    deleted: Option<Millis>,
}

fn logged_runs(history: &PlanHistory) -> LoggedRuns {
    let mut runs: Vec<PlanRun> = Vec::new();
    let mut is_given_up = false;
    for entry in history.entries.iter().rev() {
        match &entry.event {
            PlanEvent::PlanExecuting { run, digest, .. } => {
                // A run that took up another version is named again.
                if runs.iter().all(|known| known.id != *run) {
                    runs.push(PlanRun {
                        id: run.clone(),
                        digest: Some(digest.clone()),
                        is_logged: true,
                        is_given_up,
                    });
                }
            }
            PlanEvent::PlanRetried { .. } | PlanEvent::PlanCancelled { .. } => is_given_up = true,
            PlanEvent::PlanDeleted { .. } => {
                let deleted = Some(entry.at);
                return LoggedRuns { runs, deleted };
            }
            PlanEvent::PlanProposed { .. }
            | PlanEvent::PlanRevised { .. }
            | PlanEvent::PlanModelAsked { .. }
            | PlanEvent::PlanCommented { .. }
            | PlanEvent::PlanCommentResolved { .. }
            | PlanEvent::PlanApproved { .. }
            | PlanEvent::PlanRejected { .. }
            | PlanEvent::PlanNeedsReview { .. }
            | PlanEvent::PlanCompleted { .. }
            | PlanEvent::PlanFailed { .. }
            | PlanEvent::PlanReplaced { .. }
            | PlanEvent::PlanArchived { .. }
            | PlanEvent::PlanRestored { .. } => {}
        }
    }
    LoggedRuns {
        runs,
        deleted: None,
    }
}
