//! `signoff.progress/1`: what an agent at work has told so far. One JSON object per line in `progress.jsonl` of an attempt,
//! each complete in itself; only the last one counts. It is not journaled: what it adds up to is, when the agent ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine::ModelUsage;

pub const SCHEMA: &str = "signoff.progress/1";

/// What an agent has told so far.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentProgress {
    /// RFC 3339, UTC, milliseconds.
    pub at: String,
    /// The driver that reads the agent's stream.
    pub driver: String,
    /// What it does right now, as in `editing src/parse.rs`.
    pub doing: String,
    /// Its to-dos that are done, 0–100, if it keeps such a list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<u8>,
    /// Those to-dos.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub todo: Vec<Todo>,
    /// The model that works, as the agent names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The agent's own name of the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The agent's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Tools that were refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied: Vec<String>,
    /// What it used so far, by model.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<ModelUsage>,
}

/// One to-do of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Todo {
    pub text: String,
    pub state: TodoState,
}

/// How far a to-do is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TodoState {
    Pending,
    InProgress,
    Done,
}
