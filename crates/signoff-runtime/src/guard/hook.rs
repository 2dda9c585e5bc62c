//! From the payload to the answer.

use signoff_plan::guard::{Agent, ToolCall};
use signoff_store::FileError;

use super::payload::Payload;
use super::{
    HookAnswer, HookContext, HookEvent, HookStore, in_run, permission_request, prompt,
    session_start, tool_call,
};
use crate::error::Error;
use crate::project::ProcessContext;

/// Why there is no answer. Whoever asked must refuse the call.
#[derive(Debug)]
pub enum HookFailure {
    /// What the agent said, or what the harness wrote for it, cannot be understood.
    Unreadable(String),
    /// What is remembered of the session cannot be read or written.
    Memory(FileError),
    /// Something else is wrong, such as the configuration.
    Error(Error),
}

impl From<String> for HookFailure {
    fn from(why: String) -> Self {
        Self::Unreadable(why)
    }
}

impl From<FileError> for HookFailure {
    fn from(why: FileError) -> Self {
        Self::Memory(why)
    }
}

impl From<Error> for HookFailure {
    fn from(why: Error) -> Self {
        Self::Error(why)
    }
}

/// Answers what an agent hands over. No answer is a refusal.
pub fn answer(
    process: &ProcessContext,
    agent: Option<Agent>,
    store: HookStore,
    bytes: &[u8],
) -> Result<HookAnswer, HookFailure> {
    let payload = Payload::read(bytes, agent)?;
    answer_payload(process, store, &payload)
}

fn answer_payload(
    process: &ProcessContext,
    store: HookStore,
    payload: &Payload,
) -> Result<HookAnswer, HookFailure> {
    let context = HookContext {
        process,
        agent: payload.agent,
        session: payload.session(),
        payload: &payload.value,
    };
    let is_inside = in_run::is_inside(&process.variables);
    Ok(match payload.event()? {
        HookEvent::ToolCall { tool, input } => {
            let call = ToolCall {
                agent: payload.agent,
                tool,
                input,
                server: payload.server_tool(),
            };
            if is_inside {
                in_run::answer(&process.variables, &call)?
            } else {
                tool_call::answer(&context, payload, store, &call)?
            }
        }
        // A run's agent was told everything, and asks nobody.
        _ if is_inside => HookAnswer::no_objection(),
        HookEvent::SessionStart { source } => session_start::answer(&context, source),
        HookEvent::PermissionRequest { tool, input } => {
            permission_request::answer(&context, tool, input)?
        }
        HookEvent::Prompt { text } => prompt::answer(&context, text),
        HookEvent::Other => HookAnswer::no_objection(),
    })
}
