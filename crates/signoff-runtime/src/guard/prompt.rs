//! What is said to what a person typed.

use serde_json::json;

use super::reported_session::{ReportedSession, reported_session};
use super::{HookAnswer, HookContext};
use crate::agent_session::{AgentSession, reminder};

/// Answers a prompt: in plan mode the agent is told so, because it may have been switched on after the session began.
pub fn answer(context: &HookContext<'_>, _text: &str) -> HookAnswer {
    let ReportedSession {
        process,
        in_plan_mode,
    } = reported_session(context);
    let session = AgentSession {
        process: &process,
        agent: context.agent.name(),
        id: context.session,
        in_plan_mode,
    };
    match reminder(&session) {
        Some(text) => HookAnswer::json(&json!({"hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": text,
        }})),
        None => HookAnswer::no_objection(),
    }
}
