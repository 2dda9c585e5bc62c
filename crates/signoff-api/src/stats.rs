//! `signoff.stats/1`: what the plans of a store add up to.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::usage::{AgentUsage, UsageTotals};

pub const SCHEMA: &str = "signoff.stats/1";

/// Figures about all plans, archived ones too. What happened to plans that are gone counts, as far
/// as their logs are kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stats {
    pub schema: String,
    /// How many plans there are.
    pub plans: u64,
    /// How many of them are in each state.
    pub states: BTreeMap<String, u64>,
    /// Texts that were handed in, first ones and revised ones.
    pub proposals: u64,
    pub approvals: u64,
    pub rejections: u64,
    /// Approvals among all decisions, 0 to 1; `null` before the first.
    pub approval_rate: Option<f64>,
    /// Rejections for each plan that was ever handed in.
    pub rejections_per_plan: Option<f64>,
    /// Seconds from a text to its signature, the median.
    pub median_approval_s: Option<u64>,
    pub runs: RunCounts,
    /// What the agents of all runs used whose journals are kept, and the models that were asked in them and for plans;
    /// `null` where they reported nothing.
    #[serde(default)]
    pub usage: Option<UsageTotals>,
    /// What of that models used that were asked: for plans, in replans and recoveries, and who does a step.
    #[serde(default)]
    pub models: Option<AgentUsage>,
    /// The plans that were rejected most often, at most five.
    pub most_rejected: Vec<MostRejected>,
    /// Tools that plans ask for and that nothing here provides, the most wanted first.
    pub tool_gaps: Vec<ToolGap>,
}

/// How runs ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Runs")]
pub struct RunCounts {
    pub completed: u64,
    pub failed: u64,
}

/// A plan that people said no to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MostRejected {
    pub id: String,
    pub title: String,
    pub rejections: u64,
}

/// A tool that is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolGap {
    pub tool: String,
    /// How many plans ask for it.
    pub plans: u64,
}
