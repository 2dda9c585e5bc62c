//! `signoff.checks/1`: what the checks look for, as `explain --format json` prints it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.checks/1";

/// Some or all checks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checks {
    pub schema: String,
    pub checks: Vec<Check>,
}

/// One check; the texts are markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Check {
    pub code: String,
    /// `error` or `warning`, by dialect.
    pub severity: BTreeMap<String, String>,
    /// It depends on the surroundings, so it is an error when a plan is signed or run.
    pub environmental: bool,
    pub what: String,
    pub why: String,
    pub example: String,
    pub instead: String,
}

impl Checks {
    pub fn new(checks: Vec<Check>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            checks,
        }
    }
}
