//! The JSON Schemas of all shapes, for `docs/schemas/`.

use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};

use crate::{
    activity, archived, checks, comments, config, connect, convert, deleted, diagnostics, diff,
    doctor, drafted, engine, error, event, formatted, guard, import, inbox, landing, notification,
    plan, plan_log, plan_ref, plans, progress, project, pruned, question, regeneration, rehearsal,
    report, run, runs, stats, templates, threads, tool_record, tools, transcript, undo,
};

/// Name and schema of every shape.
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        (plan::SCHEMA, of::<plan::Plan>()),
        (diagnostics::SCHEMA, of::<diagnostics::Diagnostics>()),
        (drafted::SCHEMA, of::<drafted::Drafted>()),
        (diff::SCHEMA, of::<diff::Diff>()),
        (checks::SCHEMA, of::<checks::Checks>()),
        (convert::SCHEMA, of::<convert::Converted>()),
        (import::SCHEMA, of::<import::Imported>()),
        (formatted::SCHEMA, of::<formatted::Formatted>()),
        (templates::SCHEMA, of::<templates::Templates>()),
        (
            event::SCHEMA,
            with_plan_created(of::<event::StreamedEvent>()),
        ),
        (event::JOURNAL_SCHEMA, of::<event::JournalLine>()),
        (progress::SCHEMA, of::<progress::AgentProgress>()),
        (transcript::SCHEMA, of::<transcript::Transcript>()),
        (rehearsal::SCHEMA, of::<rehearsal::Rehearsal>()),
        (run::SCHEMA, of::<run::Run>()),
        (runs::SCHEMA, of::<runs::Runs>()),
        (report::SCHEMA, of::<report::Report>()),
        (activity::SCHEMA, of::<activity::ActivityEvent>()),
        (landing::SCHEMA, of::<landing::Landing>()),
        (undo::SCHEMA, of::<undo::Undo>()),
        (inbox::SCHEMA, of::<inbox::Inbox>()),
        (notification::SCHEMA, of::<notification::Notification>()),
        (question::SCHEMA, of::<question::Question>()),
        (plan_ref::SCHEMA, of::<plan_ref::PlanRef>()),
        (regeneration::SCHEMA, of::<regeneration::Regeneration>()),
        (comments::SCHEMA, of::<comments::Comments>()),
        (plans::SCHEMA, of::<plans::Plans>()),
        (archived::SCHEMA, of::<archived::Archived>()),
        (pruned::SCHEMA, of::<pruned::Pruned>()),
        (stats::SCHEMA, of::<stats::Stats>()),
        (deleted::SCHEMA, of::<deleted::Deleted>()),
        (plan_log::SCHEMA, of::<plan_log::PlanLogLine>()),
        (project::INIT_SCHEMA, of::<project::Init>()),
        (project::TRUST_SCHEMA, of::<project::Trust>()),
        (config::SCHEMA, of::<config::Config>()),
        (threads::DIR_SCHEMA, of::<threads::ThreadDir>()),
        (threads::COMMIT_SCHEMA, of::<threads::Commit>()),
        (threads::TOPIC_SCHEMA, of::<threads::Topic>()),
        (threads::PROMPT_SCHEMA, of::<threads::Prompt>()),
        (threads::SESSIONS_SCHEMA, of::<threads::Sessions>()),
        (tools::SCHEMA, of::<tools::Tools>()),
        (doctor::SCHEMA, of::<doctor::Doctor>()),
        (engine::SCHEMA, of::<engine::Engine>()),
        (engine::RUNS_SCHEMA, of::<engine::SharedRuns>()),
        (connect::SCHEMA, of::<connect::Connection>()),
        (guard::SCOPE_SCHEMA, of::<guard::GuardScope>()),
        (guard::LOG_SCHEMA, of::<guard::LoggedDecision>()),
        (guard::REPORT_SCHEMA, of::<guard::GuardReport>()),
        (guard::PLAN_MODE_SCHEMA, of::<guard::GuardPlanMode>()),
        (guard::CHECK_SCHEMA, of::<guard::GuardCheck>()),
        (tool_record::SCHEMA, of::<tool_record::ToolRecord>()),
        (error::SCHEMA, of::<error::Error>()),
    ]
}

/// Adds the line of the stream that is no event of the journal.
fn with_plan_created(mut schema: Value) -> Value {
    if let Some(Value::Array(events)) = schema.get_mut("oneOf") {
        events.push(json!({
            "description": "The first line of the stream, with `seq` 0: the plan that the run carries out. It is not in the journal.",
            "type": "object",
            "properties": {
                "type": {"type": "string", "const": "plan_created"},
                "plan": {"description": "As `signoff.plan/1`.", "type": "object"}
            },
            "required": ["type", "plan"]
        }));
    }
    schema
}

fn of<T: JsonSchema>() -> Value {
    schema_for!(T).to_value()
}
