//! `signoff.tool_record/1`: what tool servers offered when they were last asked, in
//! `.signoff/tools.json`. Plans are checked against it, and signed under it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub const SCHEMA: &str = "signoff.tool_record/1";

/// The whole record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRecord {
    pub schema: String,
    /// By name.
    pub servers: BTreeMap<String, RecordedServer>,
}

/// What one server offered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Server")]
pub struct RecordedServer {
    /// The command it was started with: what another one offers is not known.
    pub command: Vec<String>,
    /// Where it is, if it is asked over HTTP; it has no command then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    pub tools: Vec<RecordedTool>,
}

/// One tool of a server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Tool")]
pub struct RecordedTool {
    /// Without that of its server.
    pub name: String,
    pub description: String,
    /// The server says that it changes nothing.
    pub read_only: bool,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its results, if the server says what they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
}
