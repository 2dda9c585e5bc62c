//! `signoff.transcript/1`: what an agent said and did in one attempt, read from its stream, as `log --step` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::progress::{AgentProgress, Todo};

pub const SCHEMA: &str = "signoff.transcript/1";

/// One attempt of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Transcript {
    pub schema: String,
    pub run: String,
    pub step: String,
    pub attempt: u32,
    /// The stream itself, relative to the workspace.
    pub log: String,
    /// What it told last, in sum.
    pub agent: Option<AgentProgress>,
    /// In order.
    pub entries: Vec<TranscriptEntry>,
}

/// One thing that an agent said or did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum TranscriptEntry {
    /// It said something.
    Said { text: String },
    /// It called a tool.
    Tool {
        tool: String,
        /// The file, the command or the like.
        about: String,
        /// Whether the call succeeded; `null` if its end was not seen.
        ok: Option<bool>,
        /// Shortened.
        output: String,
    },
    /// It said that it changed a file.
    Changed { path: String },
    /// It wrote down what it wants to do.
    Todo { entries: Vec<Todo> },
    /// It was not allowed to call a tool.
    Denied { tool: String, reason: String },
    /// It reported an error.
    Problem { message: String },
    /// A program without a stream that can be read printed this.
    Output { text: String },
}
