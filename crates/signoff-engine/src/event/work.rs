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

/// What an agent reported of itself, as its driver read it. It is shown and counted; it judges nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentReport {
    pub driver: String,
    /// The agent's own version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The model that was asked for; absent = the agent's own choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own session, with which it can go on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// It kept its own sandbox, because ours is weaker than a mount namespace here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_sandbox: bool,
    /// What the agent itself reported as a failure, whatever its exit code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Tools that were refused to it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<ModelUsage>,
}

/// What an agent used of one model. The four numbers of tokens do not overlap.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelUsage {
    /// Absent = the agent did not say which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Read anew.
    #[serde(default)]
    pub input_tokens: u64,
    /// Read from the model's cache.
    #[serde(default)]
    pub cached_tokens: u64,
    /// Read and written to the model's cache.
    #[serde(default)]
    pub cache_write_tokens: u64,
    #[serde(default)]
    pub output_tokens: u64,
    /// Millionths of a US dollar; absent = unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_e6: Option<u64>,
    /// Who says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priced_by: Option<PricedBy>,
}

/// Who says what tokens cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PricedBy {
    Agent,
    /// The table of prices.
    Table,
}

/// Which limit a person is asked about before an agent starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum BudgetLimit {
    Plan,
    Step,
    /// A limit in dollars that cannot be kept, because a price is unknown.
    UnknownCost,
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
