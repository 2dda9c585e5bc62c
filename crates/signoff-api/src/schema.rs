//! The JSON Schemas of all shapes, for `docs/schemas/`.

use schemars::{JsonSchema, schema_for};
use serde_json::{Value, json};

use crate::{
    activity, archived, checks, cluster, comments, config, connect, convert, deleted, diagnostics,
    diff, doctor, drafted, error, event, formatted, guard, import, inbox, landing, notification,
    plan, plan_log, plan_ref, plans, progress, project, pruned, question, regeneration, rehearsal,
    report, run, runs, stats, templates, threads, tool_record, tools, transcript, undo,
};

/// Name and schema of every shape.
pub fn all_schemas() -> Vec<(&'static str, Value)> {
    vec![
        (plan::SCHEMA, schema_of::<plan::Plan>()),
        (diagnostics::SCHEMA, schema_of::<diagnostics::Diagnostics>()),
        (drafted::SCHEMA, schema_of::<drafted::Drafted>()),
        (diff::SCHEMA, schema_of::<diff::Diff>()),
        (checks::SCHEMA, schema_of::<checks::Checks>()),
        (convert::SCHEMA, schema_of::<convert::Converted>()),
        (import::SCHEMA, schema_of::<import::Imported>()),
        (formatted::SCHEMA, schema_of::<formatted::Formatted>()),
        (templates::SCHEMA, schema_of::<templates::Templates>()),
        (
            event::SCHEMA,
            with_plan_created(schema_of::<event::StreamedEvent>()),
        ),
        (event::JOURNAL_SCHEMA, schema_of::<event::JournalLine>()),
        (progress::SCHEMA, schema_of::<progress::AgentProgress>()),
        (transcript::SCHEMA, schema_of::<transcript::Transcript>()),
        (rehearsal::SCHEMA, schema_of::<rehearsal::Rehearsal>()),
        (run::SCHEMA, schema_of::<run::Run>()),
        (runs::SCHEMA, schema_of::<runs::Runs>()),
        (report::SCHEMA, schema_of::<report::Report>()),
        (activity::SCHEMA, schema_of::<activity::ActivityEvent>()),
        (landing::SCHEMA, schema_of::<landing::Landing>()),
        (undo::SCHEMA, schema_of::<undo::Undo>()),
        (inbox::SCHEMA, schema_of::<inbox::Inbox>()),
        (
            notification::SCHEMA,
            schema_of::<notification::Notification>(),
        ),
        (question::SCHEMA, schema_of::<question::Question>()),
        (plan_ref::SCHEMA, schema_of::<plan_ref::PlanRef>()),
        (
            regeneration::SCHEMA,
            schema_of::<regeneration::Regeneration>(),
        ),
        (comments::SCHEMA, schema_of::<comments::Comments>()),
        (plans::SCHEMA, schema_of::<plans::Plans>()),
        (archived::SCHEMA, schema_of::<archived::Archived>()),
        (pruned::SCHEMA, schema_of::<pruned::Pruned>()),
        (stats::SCHEMA, schema_of::<stats::Stats>()),
        (deleted::SCHEMA, schema_of::<deleted::Deleted>()),
        (plan_log::SCHEMA, schema_of::<plan_log::PlanLogLine>()),
        (project::INIT_SCHEMA, schema_of::<project::Init>()),
        (project::TRUST_SCHEMA, schema_of::<project::Trust>()),
        (config::SCHEMA, schema_of::<config::Config>()),
        (threads::DIR_SCHEMA, schema_of::<threads::ThreadDir>()),
        (threads::COMMIT_SCHEMA, schema_of::<threads::Commit>()),
        (threads::TOPIC_SCHEMA, schema_of::<threads::Topic>()),
        (threads::PROMPT_SCHEMA, schema_of::<threads::Prompt>()),
        (threads::SESSIONS_SCHEMA, schema_of::<threads::Sessions>()),
        (tools::SCHEMA, schema_of::<tools::Tools>()),
        (doctor::SCHEMA, schema_of::<doctor::Doctor>()),
        (cluster::SCHEMA, schema_of::<cluster::ClusterStatus>()),
        (cluster::RUNS_SCHEMA, schema_of::<cluster::SharedRuns>()),
        (connect::SCHEMA, schema_of::<connect::Connection>()),
        (guard::SCOPE_SCHEMA, schema_of::<guard::GuardScope>()),
        (guard::LOG_SCHEMA, schema_of::<guard::LoggedDecision>()),
        (guard::REPORT_SCHEMA, schema_of::<guard::GuardReport>()),
        (guard::PLAN_MODE_SCHEMA, schema_of::<guard::GuardPlanMode>()),
        (guard::CHECK_SCHEMA, schema_of::<guard::GuardCheck>()),
        (tool_record::SCHEMA, schema_of::<tool_record::ToolRecord>()),
        (error::SCHEMA, schema_of::<error::Error>()),
    ]
}

/// Adds the line of the stream that is not an event of the journal.
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

fn schema_of<T: JsonSchema>() -> Value {
    schema_for!(T).to_value()
}
