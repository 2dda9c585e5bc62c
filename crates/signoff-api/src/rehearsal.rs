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
    /// The `code` of the error with which `run` would refuse; `null` if it would not.
    pub refused: Option<String>,
}
