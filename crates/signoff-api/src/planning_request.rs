//! `signoff.planning/1`: a request for a plan that waits for answers, as it lies beside the runs.

use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.planning/1";

/// What was asked of a planner, and which questions it asked back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanningRequest {
    pub schema: String,
    pub task: String,
    pub dialect: String,
    pub memories: Vec<NamedText>,
    pub existing_code: Vec<NamedText>,
    pub constraints: Vec<String>,
    /// The role whose agent drafts, if one was named.
    pub agent: Option<String>,
    /// Where the plan goes, if not into the store.
    pub output: Option<String>,
    pub force: bool,
    pub try_contracts: bool,
    /// Ids of the questions in the inbox.
    pub questions: Vec<String>,
    /// What the planner used to ask them; it counts for the plan that follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<ModelUse>,
}

/// What a model used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelUse {
    pub model: Option<String>,
    pub tokens: Option<u64>,
    pub usd_e6: Option<u64>,
}

/// A text with its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedText {
    pub name: String,
    pub text: String,
}
