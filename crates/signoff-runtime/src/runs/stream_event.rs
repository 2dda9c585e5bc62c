//! An event as the stream shows it.

use std::collections::BTreeMap;

use signoff_api::event::{
    LogEntry, PlanCreated, PlanCreatedName, SCHEMA, StepEnd, StepProgress, StepResult,
    StreamedEvent, step_status,
};
use signoff_api::plan::{Plan, PlanContext};
use signoff_engine::{Event, PlanState, RecordedEvent, Run, StepState, StepStatus};
use signoff_store::runs::RunDir;

use crate::clock::timestamp;

/// An event as the stream shows it, after it was applied.
pub fn stream_event(run: &Run, recorded: &RecordedEvent) -> StreamedEvent {
    let id = recorded.event.step();
    let at = id.and_then(|id| run.position(id));
    // An item of a loop that is not expanded yet has not begun.
    let status = at.map_or(StepStatus::Pending, |at| run.status_of(at));
    let ended = matches!(recorded.event, Event::RunFinished { .. });
    StreamedEvent {
        schema: SCHEMA.to_owned(),
        run: run.id().to_owned(),
        seq: recorded.seq,
        at: timestamp(recorded.at),
        event: recorded.event.clone(),
        status: id.map(|_| step_status(status).to_owned()),
        progress: at.map_or(run.progress(), |at| step_progress(run, at)),
        plan_progress: run.progress(),
        of_step: id.map(|id| StepProgress {
            task_id: task(run),
            step_id: id.to_owned(),
            step_index: at.map(|at| {
                run.step(at)
                    .and_then(|(_, state)| state.parent())
                    .unwrap_or(at)
            }),
            result: at.and_then(|at| result(run.step(at)?.1, recorded)),
            logs: logs(run, id, &recorded.event).into_iter().collect(),
        }),
        steps: ended.then(|| step_ends(run)),
        landing: None,
    }
}

/// The line that the stream of a run begins with: its plan.
pub fn plan_created(run: &Run, recorded: &RecordedEvent, shell: &str) -> PlanCreated {
    let signed = run.signed_plan();
    let context = PlanContext {
        comments: Vec::new(),
        dialect: signed.dialect().as_str(),
        status: PlanState::Executing.name(),
        digest: signed.digest().to_string(),
        terms: Some(signed.terms().to_string()),
        shell,
        ..PlanContext::default()
    };
    PlanCreated {
        schema: SCHEMA.to_owned(),
        run: run.id().to_owned(),
        seq: 0,
        at: timestamp(recorded.at),
        name: PlanCreatedName::PlanCreated,
        progress: 0,
        plan_progress: 0,
        plan: Plan::new(run.plan(), &context),
    }
}

/// How far a step is, by what the journal knows.
fn step_progress(run: &Run, at: usize) -> u8 {
    match run.status_of(at) {
        StepStatus::Completed | StepStatus::Skipped => 100,
        _ => 0,
    }
}

fn step_ends(run: &Run) -> BTreeMap<String, StepEnd> {
    let steps = run.order().filter_map(|at| Some((at, run.step(at)?)));
    let ends = steps.map(|(at, (definition, state))| {
        let end = StepEnd {
            status: step_status(run.status_of(at)).to_owned(),
            evidence: state.outcome.grade(),
            facts: state.outcome.facts().cloned(),
            attempts: state.attempts,
        };
        (definition.id.clone(), end)
    });
    ends.collect()
}

pub(super) fn task(run: &Run) -> String {
    let plan = run.plan();
    let named = plan.record.get("task_id").and_then(|task| task.as_str());
    let task = named.or(plan.id.as_deref());
    task.unwrap_or_else(|| run.id()).to_owned()
}

fn result(state: &StepState, recorded: &RecordedEvent) -> Option<StepResult> {
    let error = match &recorded.event {
        Event::StepCompleted { .. } => None,
        Event::StepFailed { reason, .. } => Some(reason.clone()),
        _ => return None,
    };
    Some(StepResult {
        ok: error.is_none(),
        value: state.values.output.clone().filter(|_| error.is_none()),
        error,
        duration: state.duration().unwrap_or_default(),
        timestamp: timestamp(recorded.at),
    })
}

/// Where the output is of what this event says has ended.
fn logs(run: &Run, step: &str, event: &Event) -> Option<LogEntry> {
    let (source, attempt) = match event {
        Event::WorkFinished { attempt, .. } => ("agent", *attempt),
        Event::CallFinished { attempt, .. } => ("tool", *attempt),
        Event::BaselineFinished { .. } => ("baseline", 0),
        Event::ContractFinished { attempt, .. } => ("contract", *attempt),
        _ => return None,
    };
    let dir = RunDir::seen_from_workspace(run.id()).attempt(step, attempt);
    let path = match source {
        "agent" => dir.agent_log(),
        "tool" => dir.tool_log(),
        "baseline" => dir.baseline_log(),
        _ => dir.contract_log(),
    };
    Some(LogEntry {
        source: source.to_owned(),
        path: path.to_string_lossy().into_owned(),
    })
}
