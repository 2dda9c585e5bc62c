//! The toolplan specification's `ProgressEvent {taskId, stepId, status, progress, result, logs}`. Its fields stand in the
//! line of every event about a step, so that whoever knows only them can read the stream.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a `ProgressEvent` has that the stream has not already.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepProgress {
    /// The task that the plan names, else the plan's id, else the run.
    pub task_id: String,
    /// The step, as in `step`.
    pub step_id: String,
    /// The step's position in the plan, from 0; an item of a loop has the loop's.
    pub step_index: Option<usize>,
    /// With `step_completed` and `step_failed`: what came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<StepResult>,
    /// Where the output is kept of what has just ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub logs: Vec<LogEntry>,
}

/// What came of a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepResult {
    pub ok: bool,
    /// Result of a tool, answer of a person, or the list of a loop's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<serde_json::Value>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Milliseconds from its beginning to its end.
    pub duration: u64,
    /// RFC 3339, UTC, milliseconds.
    pub timestamp: String,
}

/// A file of output, which is there if anything was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogEntry {
    /// `agent`, `tool`, `baseline` or `contract`.
    pub source: String,
    /// Relative to the workspace.
    pub path: String,
}
