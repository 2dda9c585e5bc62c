//! Plan mode's log of a plan's steps, one JSON object per line. It is its format, which has no
//! version, so it has no `schema` field.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How one step came out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Line")]
pub struct SessionLine {
    /// Number of the step, from 1.
    pub step: usize,
    pub tool: Option<String>,
    pub op: Option<String>,
    /// `success` or `failed`.
    pub status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}
