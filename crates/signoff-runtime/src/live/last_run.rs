//! What the last run of a plan leaves to the next one.

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{EarlierStep, Redo, Run, StepForecast, earlier_steps, forecast};
use signoff_plan::model::Plan;

use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::plans::status::{RunRecord, begun_run};
use crate::project::Project;

/// The last run of a plan that is still known.
struct LastRun {
    run: Run,
    /// A person gave it up since: the next one starts from scratch.
    is_given_up: bool,
}

/// What the last run of the plan knows of its steps, by their present ids; nothing if there is none.
pub(super) fn known_steps(
    project: &Project,
    history: &PlanHistory,
    plan: &Plan,
    redo: Redo,
) -> Result<Vec<(String, EarlierStep)>, Error> {
    let Some(last) = last_run(project, history)? else {
        return Ok(Vec::new());
    };
    let redo = if last.is_given_up {
        Redo::Everything
    } else {
        redo
    };
    Ok(earlier_steps(&last.run, plan, redo))
}

/// What a run would do with each step of a plan that was run before; nothing if it was not.
pub(super) fn forecast_again(known: &[(String, EarlierStep)], plan: &Plan) -> Vec<StepForecast> {
    if known.is_empty() {
        return Vec::new();
    }
    forecast(plan, known)
}

fn last_run(project: &Project, history: &PlanHistory) -> Result<Option<LastRun>, Error> {
    let mut is_given_up = false;
    for entry in history.entries.iter().rev() {
        match &entry.event {
            PlanEvent::PlanExecuting { run, .. } => match begun_run(project, history, run)? {
                RunRecord::Begun(view) => {
                    let run = view.run;
                    return Ok(Some(LastRun { run, is_given_up }));
                }
                RunRecord::NeverBegun => {}
                // What it did is not known. What one before it did may not be there any more.
                RunRecord::Lost(_) => is_given_up = true,
            },
            PlanEvent::PlanRetried { .. } | PlanEvent::PlanCancelled { .. } => is_given_up = true,
            // What has its name now is another plan.
            PlanEvent::PlanDeleted { .. } => return Ok(None),
            PlanEvent::PlanProposed { .. }
            | PlanEvent::PlanRevised { .. }
            | PlanEvent::PlanApproved { .. }
            | PlanEvent::PlanRejected { .. }
            | PlanEvent::PlanNeedsReview { .. }
            | PlanEvent::PlanCompleted { .. }
            | PlanEvent::PlanFailed { .. }
            | PlanEvent::PlanArchived { .. } => {}
        }
    }
    Ok(None)
}
