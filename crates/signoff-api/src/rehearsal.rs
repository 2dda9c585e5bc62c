//! `signoff.rehearsal/1`: what `run --dry-run` prints.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.rehearsal/1";

/// What a run would be. Nothing was started or written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rehearsal {
    pub schema: String,
    /// The plan, as it was named.
    pub plan: String,
    pub title: String,
    pub digest: String,
    /// Ids of the steps in the order in which they would start; those of one list side by side.
    pub rounds: Vec<Vec<String>>,
    /// Agents that are started at worst.
    pub agents: u64,
    /// Seconds that they may work at worst, one after the other.
    pub working_s: u64,
    /// When the run would stop and ask a person, by the ids of the steps that do.
    #[serde(default)]
    pub asks: BTreeMap<String, Vec<String>>,
    /// What would be done with each step, where the plan was run before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<StepForecast>,
    /// The `code` of the error with which `run` would refuse; `null` if it would not.
    pub refused: Option<String>,
}

/// A step of a plan that was run before: it is kept, or runs for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepForecast {
    pub id: String,
    /// The run that it is kept from, unless its contract does not hold any more; `null` if it runs.
    pub kept_from: Option<String>,
    /// Why it runs: `new changed everything unfinished not_in_checkout outdated value_unknown superseded dependency`, or
    /// `items` for a loop of which only the other items run.
    pub because: Option<String>,
    /// The step that it depends on and that runs, where that is the reason.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// The items of a loop that are kept, where others run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept_items: Vec<serde_json::Value>,
}
