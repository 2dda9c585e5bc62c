//! What a session is told when it begins.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;

use serde_json::json;
use signoff_plan::guard::Agent;

use super::reported_session::{ReportedSession, reported_session};
use super::{HookAnswer, HookContext};
use crate::agent_session::introduction;

/// Where Claude Code reads variables for the commands of a session from.
const ENV_FILE: &str = "CLAUDE_ENV_FILE";

/// Answers the beginning of a session. What cannot be found out is not said: a session begins all the same.
pub fn answer(context: &HookContext<'_>, _source: Option<&str>) -> HookAnswer {
    let ReportedSession {
        process,
        in_plan_mode,
    } = reported_session(context);
    let session = crate::agent_session::AgentSession {
        process: &process,
        agent: context.agent.name(),
        id: context.session,
        in_plan_mode,
    };
    let Some(introduction) = introduction(&session) else {
        return HookAnswer::no_objection();
    };
    export_session(context);
    let mut answer = json!({"hookSpecificOutput": {
        "hookEventName": "SessionStart",
        "additionalContext": introduction.text,
    }});
    // Agents show it to their person.
    let to_person = introduction.to_person.trim_end();
    if !to_person.is_empty() {
        answer["systemMessage"] = to_person.into();
    }
    HookAnswer::json(&answer)
}

/// Sets the variable of `agentctl` for the commands that the agent runs, where the agent has a way for it. It is in the
/// text as well.
fn export_session(context: &HookContext<'_>) {
    let file = context.process.variables.get(OsStr::new(ENV_FILE));
    let (Agent::Claude, Some(session), Some(file)) = (context.agent, context.session, file) else {
        return;
    };
    // It becomes a line of a shell script.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if session.is_empty() || !session.chars().all(is_plain) {
        return;
    }
    let opened = std::fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(Path::new(file));
    let line = format!("export AGENTCTL_SESSION_ID={session}\n");
    let _unset = opened.and_then(|mut file| file.write_all(line.as_bytes()));
}
