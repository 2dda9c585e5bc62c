//! Writes down what was refused or would have been, without secrets.

use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;
use signoff_api::guard::{LOG_SCHEMA, LoggedDecision};
use signoff_plan::guard::{Agent, Denial, ToolCall};
use signoff_store::guard::decisions;
use signoff_store::timestamp::rfc3339_ms;
use signoff_work::secrets::Secrets;

use crate::project::ProcessContext;

/// Longest subject that is kept.
const LONGEST: usize = 300;
/// Arguments that say what a call is about, the most telling first.
const SUBJECTS: [&str; 9] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "url",
    "skill",
    "prompt",
];

/// What a line is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct LogContext<'a> {
    pub(super) process: &'a ProcessContext,
    pub(super) agent: Agent,
    pub(super) session: Option<&'a str>,
    pub(super) project: Option<&'a Path>,
    pub(super) redact: &'a [String],
    pub(super) call: &'a ToolCall<'a>,
    pub(super) denied: &'a Denial,
}

/// Adds a line to the log; says why that was not possible.
pub(super) fn log(context: &LogContext<'_>) -> Result<(), String> {
    let state_dir = context.process.state_dir.as_deref();
    let state_dir = state_dir.ok_or("there is no home to keep it in")?;
    decisions::append(state_dir, &logged_decision(context)).map_err(|why| why.to_string())
}

fn logged_decision(context: &LogContext<'_>) -> LoggedDecision {
    let secrets = Secrets::of(&context.process.variables);
    secrets.add(context.redact);
    let hidden = |text: &str| secrets.hide(text).into_owned();
    let subject = subject(context.call.input);
    LoggedDecision {
        schema: LOG_SCHEMA.to_owned(),
        at: rfc3339_ms(SystemTime::now()),
        agent: Some(context.agent.name().to_owned()),
        session: context.session.map(str::to_owned),
        project: context.project.map(|path| path.display().to_string()),
        tool: Some(hidden(context.call.tool)),
        subject: subject.map(|text| shorten(&hidden(&text))),
        decision: if context.denied.blocks {
            "denied"
        } else {
            "would_deny"
        }
        .to_owned(),
        rule: context.denied.rule.to_string(),
        reason: shorten(&hidden(&context.denied.reason)),
    }
}

fn subject(input: &Value) -> Option<String> {
    let found = SUBJECTS.iter().find_map(|key| input.get(key))?;
    Some(match found {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    })
}

fn shorten(text: &str) -> String {
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let kept: String = text.chars().take(LONGEST).collect();
    format!("{kept}…")
}
