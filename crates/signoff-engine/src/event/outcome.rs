//! Why a run stands still, and how it ends.

use serde::{Deserialize, Serialize};

/// Why a run stands still although it is not finished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum PauseReason {
    /// All remaining steps wait on a person.
    Waiting,
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// The harness itself was in trouble, such as a full disk.
    Trouble,
    /// The plan or its terms are no longer what was signed.
    Changed,
    /// A person asked for it.
    Requested,
    /// It was to go only so far (`--until`, `--only`).
    Limited,
    /// Another version of the plan is signed, and it goes on under that.
    Replanned,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Outcome {
    /// Every step is done or skipped.
    Completed,
    /// Only steps that are `critical: no` failed.
    Partial,
    /// A critical step failed or is blocked.
    Failed,
}
