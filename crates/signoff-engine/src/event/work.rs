//! What is handed to agents and tools, and what comes of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The unit of dispatch: what is handed to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkItem {
    pub agent_id: String,
    #[serde(rename = "type")]
    pub kind: WorkKind,
    pub input: WorkInput,
    pub payload: WorkPayload,
}

/// The kinds of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum WorkKind {
    Code,
    Review,
}

/// The prompt (only its beginning where it is long) and the sha256 of its whole text, which is kept
/// beside the journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkInput {
    pub prompt: String,
    pub prompt_sha256: String,
}

/// Where a `WorkItem` comes from and what goes with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WorkPayload {
    pub subscriptions: Vec<String>,
    pub plan_id: String,
    /// The step's number in its plan.
    pub step: usize,
}

/// What an agent said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Output")
)]
pub struct AgentOutput {
    pub text: String,
}

/// Identity of a process that cannot be confused with a later one of the same number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Process")
)]
pub struct ProcessIdentity {
    pub pid: u32,
    pub starttime: u64,
    pub boot_id: String,
}

/// What a tool is called with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Call")
)]
pub struct ToolCall {
    pub tool: String,
    /// Every reference in them resolved.
    pub args: Value,
    /// Making it twice does no harm.
    pub repeatable: bool,
    /// It may change the tree.
    pub changes_tree: bool,
}

/// How a call ended: `{"done": RESULT}` or `{"failed": {…}}`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum CallEnd {
    Done(Value),
    Failed {
        message: String,
        /// It may go better the next time (no connection, time limit, a busy server).
        transient: bool,
        /// It was cut off, and may have taken place.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unknown: bool,
    },
}
