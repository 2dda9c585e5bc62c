//! What the next run of a plan knows from earlier runs.

use serde_json::Value;
use signoff_engine::{
    EarlierStep, Redo, StepForecast, ToolCall, add_older_calls, earlier_steps, forecast,
    knows_every_call,
};
use signoff_plan::Workspace as _;
use signoff_plan::model::{Plan, Step, Work};
use signoff_plan::tools::built_in;

use super::lost_changes::redo_lost_changes;
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::plans::status::{RunRecord, begun_run};
use crate::project::Project;
use crate::runs::call_marks;
use crate::runs::of_plan::{PlanRun, runs_of_plan};

/// A plan that is about to run, and what happened to it.
pub(super) struct PlanToRun<'a> {
    pub(super) key: &'a str,
    pub(super) plan: &'a Plan,
    pub(super) digest: &'a str,
    pub(super) history: &'a PlanHistory,
}

/// What the earlier runs of a plan know of its steps.
#[derive(Debug, Default)]
pub(super) struct KnownSteps {
    /// By their present ids; empty if it was not run before.
    pub(super) steps: Vec<(String, EarlierStep)>,
    /// What a person should know about that.
    pub(super) notes: Vec<String>,
}

/// What the earlier runs of the plan know of its steps: the newest readable run knows all of them, older ones only
/// calls that must not be made twice.
pub(super) fn known_steps(
    project: &Project,
    of: &PlanToRun<'_>,
    redo: Redo,
) -> Result<KnownSteps, Error> {
    let mut known = KnownSteps::default();
    let mut has_newest = false;
    let mut lost: Option<String> = None;
    for run in runs_of_plan(project, of.key, of.history)? {
        known.notes.extend(unlogged_note(&run));
        let record = begun_run(project, of.history, &run.id);
        let view = match record {
            Ok(RunRecord::NeverBegun) => continue,
            Ok(RunRecord::Begun(view)) => view,
            // Its work is unknown, and the work of a run before it may be gone.
            Ok(RunRecord::Lost(_)) if !has_newest => {
                lost.get_or_insert(run.id);
                continue;
            }
            Ok(RunRecord::Lost(_)) | Err(_) if has_newest => {
                // The same plan ran: each of its calls may have been made.
                if run.digest.as_deref() == Some(of.digest) {
                    add_calls(&mut known.steps, possible_calls(project, of.plan, &run.id));
                }
                continue;
            }
            Ok(RunRecord::Lost(_)) => continue,
            Err(error) => return Err(error),
        };
        if has_newest {
            add_older_calls(&mut known.steps, &view.run, of.plan);
        } else {
            has_newest = true;
            let from_scratch = run.is_given_up || lost.is_some();
            let redo = if from_scratch { Redo::Everything } else { redo };
            known.steps = earlier_steps(&view.run, of.plan, redo);
            if view.run.outcome().is_none() {
                add_calls(
                    &mut known.steps,
                    call_marks::lost_calls(project, &view.run)?,
                );
            }
            if let Some(lost) = &lost {
                add_calls(&mut known.steps, possible_calls(project, of.plan, lost));
            }
        }
        if knows_every_call(&known.steps, of.plan, |tool, args| {
            is_repeatable(project, tool, args)
        }) {
            break;
        }
    }
    redo_lost_changes(project, of.plan, &mut known.steps)?;
    if let Some(lost) = lost.filter(|_| !has_newest) {
        add_calls(&mut known.steps, possible_calls(project, of.plan, &lost));
    }
    Ok(known)
}

/// What a person is told about a run that the plan's log does not name.
fn unlogged_note(run: &PlanRun) -> Option<String> {
    (!run.is_logged).then(|| {
        format!(
            "the plan's log does not name run {}, whose directory is there: lines of the log were lost or removed, or it is another branch's. What that run did counts",
            run.id
        )
    })
}

/// Adds calls that were made, or may have been, where no call of the step is known.
fn add_calls(
    steps: &mut Vec<(String, EarlierStep)>,
    calls: impl IntoIterator<Item = (String, EarlierStep)>,
) {
    for (id, call) in calls {
        match steps.iter_mut().find(|(known, _)| *known == id) {
            Some((_, known)) if known.call.is_some() => {}
            Some((_, known)) => *known = call,
            None => steps.push((id, call)),
        }
    }
}

/// The calls that a run whose record is gone may have made, and that do harm if they are made twice.
fn possible_calls(project: &Project, plan: &Plan, run: &str) -> Vec<(String, EarlierStep)> {
    let call = |step: &Step| {
        let Work::Tool { tool, args } = &step.work else {
            return None;
        };
        let call = ToolCall {
            tool: tool.clone(),
            args: args.clone(),
            repeatable: false,
            changes_tree: true,
        };
        let may_harm = !is_repeatable(project, tool, args);
        may_harm.then(|| (step.id.clone(), EarlierStep::unknown(run, call)))
    };
    plan.steps.iter().filter_map(call).collect()
}

fn is_repeatable(project: &Project, tool: &str, args: &Value) -> bool {
    built_in(tool).map_or_else(
        || project.workspace().tool_read_only(tool),
        |built_in| built_in.is_repeatable(args),
    )
}

/// What a run would do with each step of a plan that was run before; nothing if it was not.
pub(super) fn forecast_again(known: &[(String, EarlierStep)], plan: &Plan) -> Vec<StepForecast> {
    if known.is_empty() {
        return Vec::new();
    }
    forecast(plan, known)
}
