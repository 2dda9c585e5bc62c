//! What becomes of a request for leave, such as a plan that Claude Code shows when it leaves its plan mode.

use serde_json::{Value, json};

use super::reported_session::{ReportedSession, reported_session};
use super::{HookAnswer, HookContext, plan_mode};
use crate::agent_session::{AgentSession, PlanAnswer, shown_plan};
use crate::error::Error;

/// The tools by which agents leave their plan mode.
const EXITS: [&str; 2] = ["ExitPlanMode", "exit_plan_mode"];

/// Answers the request of a tool; an error is a refusal. It never waits for a person.
pub fn answer(context: &HookContext<'_>, tool: &str, input: &Value) -> Result<HookAnswer, Error> {
    if !EXITS.contains(&tool) {
        return Ok(HookAnswer::no_objection());
    }
    let ReportedSession { process, .. } = reported_session(context);
    let session = AgentSession {
        process: &process,
        agent: context.agent.name(),
        id: context.session,
        in_plan_mode: true,
    };
    let text = input
        .get("plan")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let decision = match shown_plan(&session, text)? {
        PlanAnswer::NotOurs => return Ok(HookAnswer::no_objection()),
        PlanAnswer::Deny(reason) => json!({"behavior": "deny", "message": reason}),
        PlanAnswer::Signed(told) => {
            // The agent leaves its own plan mode; ours stays on until a person ends it.
            if let (Some(state), Some(id)) = (&process.state_dir, context.session) {
                plan_mode::switch(state, id, true)?;
            }
            json!({"behavior": "allow", "updatedInput": {"plan": told}})
        }
    };
    Ok(HookAnswer::json(&json!({"hookSpecificOutput": {
        "hookEventName": "PermissionRequest",
        "decision": decision,
    }})))
}
