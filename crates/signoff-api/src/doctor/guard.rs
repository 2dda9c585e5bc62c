//! What `doctor guard` saw.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Calls that an agent made with a hook in front of it, with a model on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardProbe {
    /// The agent.
    pub name: String,
    pub version: Option<String>,
    /// Whether the guard is in this agent's settings, the person's or the project's.
    pub connected: bool,
    pub canaries: Vec<Canary>,
    /// What lets calls pass that the guard denies.
    pub holes: Vec<GuardHole>,
    /// Ways around the guard that only a person can choose.
    pub ways_around: Vec<String>,
    pub duration_ms: u64,
}

/// One call, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Canary {
    /// What the hook did, or how the agent was started.
    pub situation: String,
    /// Whether the guard ever does that.
    pub ours: bool,
    /// Whether the tool ran; `null` if the agent did not come to that.
    pub ran: Option<bool>,
    /// Whether it should have.
    pub should_run: bool,
    /// Whether the model was told the guard's reason.
    pub told: bool,
    /// Why nothing is known, where that can be said.
    pub problem: Option<String>,
}

/// A way in which a call passes that should not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardHole {
    pub what: String,
    /// What closes it.
    pub fix: String,
}
