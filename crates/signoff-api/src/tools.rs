//! `signoff.tools/1`: every tool that a plan can call.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub const SCHEMA: &str = "signoff.tools/1";

/// What `tools` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "it is a list of tools")]
pub struct Tools {
    pub schema: String,
    /// The built-in ones, then those of each server.
    pub tools: Vec<Tool>,
    /// Configured servers, in the order of their names.
    pub servers: Vec<Server>,
}

/// One tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// As plans call it: `read_file`, or `server.tool`.
    pub name: String,
    pub description: String,
    /// The server it comes from; `null` for a built-in one.
    pub server: Option<String>,
    pub approval: CallApproval,
    /// Changes nothing.
    pub read_only: bool,
    /// May be called again when it is unknown how a call ended.
    pub repeatable: bool,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its results, if it says what they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}

/// When a person must agree to a call, unless the plan's scope names the tool in full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Approval")]
pub enum CallApproval {
    Never,
    Always,
    /// If it would overwrite a file.
    Overwriting,
    /// If the request is another than `GET` or `HEAD`.
    Sending,
}

/// One configured server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Where it is, if it is asked over HTTP; it has no command then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// How many tools it offers.
    pub tools: usize,
    /// What it offers differs from what was recorded before.
    pub changed: bool,
    /// Why it cannot be asked; its tools are then those that were recorded before.
    pub error: Option<String>,
}
