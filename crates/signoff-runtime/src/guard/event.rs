//! What an agent tells the hook.

use serde_json::Value;
use signoff_plan::guard::Agent;

use crate::project::ProcessContext;

/// Where a hook was called.
#[derive(Debug, Clone, Copy)]
pub struct HookContext<'a> {
    /// What the process was started with.
    pub process: &'a ProcessContext,
    /// The agent that called.
    pub agent: Agent,
    /// The agent's session, if it says so.
    pub session: Option<&'a str>,
    /// The whole payload, for what only one agent says.
    pub payload: &'a Value,
}

/// What is about to happen, or has happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookEvent<'a> {
    /// A tool is to be called. Decided by `tool_call`.
    ToolCall {
        /// The agent's own name of it.
        tool: &'a str,
        /// Its arguments.
        input: &'a Value,
    },
    /// A session begins or goes on. Answered by [`super::session_start`].
    SessionStart {
        /// `startup`, `resume`, `clear` or `compact`, where the agent says so.
        source: Option<&'a str>,
    },
    /// The agent asks its person for leave, `ExitPlanMode` with its plan among it. Answered by
    /// [`super::permission_request`].
    PermissionRequest {
        /// The tool that leave is asked for.
        tool: &'a str,
        /// Its arguments.
        input: &'a Value,
    },
    /// A person typed something. Answered by [`super::prompt`].
    Prompt {
        /// What they typed.
        text: &'a str,
    },
    /// Something that the guard has nothing to do with, such as the end of a turn.
    Other,
}
