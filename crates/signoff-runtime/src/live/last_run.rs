//! What the last run of a plan leaves to the next one.

use std::collections::{BTreeMap, BTreeSet};

use signoff_api::plan_log::PlanEvent;
use signoff_engine::{EarlierStep, Redo, Run, StepForecast, ToolCall, earlier_steps, forecast};
use signoff_plan::Workspace as _;
use signoff_plan::model::{Plan, Step, Work};
use signoff_plan::tools::built_in;

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
    let LastRuns { known, lost } = last_runs(project, history)?;
    let redo = if known.as_ref().is_some_and(|last| last.is_given_up) {
        Redo::Everything
    } else {
        redo
    };
    let mut steps = known.map_or_else(Vec::new, |last| earlier_steps(&last.run, plan, redo));
    if let Some(lost) = lost {
        let calls = possible_calls(project, plan, &lost);
        steps.retain(|(id, earlier)| earlier.call.is_some() || !calls.contains_key(id));
        let known: BTreeSet<String> = steps.iter().map(|(id, _)| id.clone()).collect();
        steps.extend(calls.into_iter().filter(|(id, _)| !known.contains(id)));
    }
    Ok(steps)
}

/// The calls that a run whose record is gone may have made, and that do harm if they are made twice.
fn possible_calls(project: &Project, plan: &Plan, run: &str) -> BTreeMap<String, EarlierStep> {
    let workspace = project.workspace();
    let call = |step: &Step| {
        let Work::Tool { tool, args } = &step.work else {
            return None;
        };
        let is_repeatable = built_in(tool).map_or_else(
            || workspace.tool_read_only(tool),
            |built_in| built_in.is_repeatable(args),
        );
        let call = ToolCall {
            tool: tool.clone(),
            args: args.clone(),
            repeatable: false,
            changes_tree: true,
        };
        (!is_repeatable).then(|| (step.id.clone(), EarlierStep::unknown(run, call)))
    };
    plan.steps.iter().filter_map(call).collect()
}

/// What a run would do with each step of a plan that was run before; nothing if it was not.
pub(super) fn forecast_again(known: &[(String, EarlierStep)], plan: &Plan) -> Vec<StepForecast> {
    if known.is_empty() {
        return Vec::new();
    }
    forecast(plan, known)
}

/// What is known of the last runs of a plan.
#[derive(Default)]
struct LastRuns {
    /// The newest whose record is there.
    known: Option<LastRun>,
    /// A newer one whose record is gone.
    lost: Option<String>,
}

fn last_runs(project: &Project, history: &PlanHistory) -> Result<LastRuns, Error> {
    let mut is_given_up = false;
    let mut lost = None;
    for entry in history.entries.iter().rev() {
        match &entry.event {
            PlanEvent::PlanExecuting { run, .. } => match begun_run(project, history, run)? {
                RunRecord::Begun(view) => {
                    let run = view.run;
                    let known = Some(LastRun { run, is_given_up });
                    return Ok(LastRuns { known, lost });
                }
                RunRecord::NeverBegun => {}
                // What it did is not known. What one before it did may not be there any more.
                RunRecord::Lost(run) => {
                    is_given_up = true;
                    lost.get_or_insert(run.id);
                }
            },
            PlanEvent::PlanRetried { .. } | PlanEvent::PlanCancelled { .. } => is_given_up = true,
            // What has its name now is another plan.
            PlanEvent::PlanDeleted { .. } => return Ok(LastRuns::default()),
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
    Ok(LastRuns { known: None, lost })
}
