//! `signoff.archived/1`: the plans that were moved to the archive, or out of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.archived/1";

/// What `archive` moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Archived {
    pub schema: String,
    pub plans: Vec<MovedPlan>,
}

/// One plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Moved")]
pub struct MovedPlan {
    pub id: String,
    /// Where it was.
    pub from: String,
    /// Where it is.
    pub path: String,
}
