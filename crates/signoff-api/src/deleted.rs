//! `signoff.deleted/1`: the plan that `delete` took out of the store.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.deleted/1";

/// What became of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Deleted {
    pub schema: String,
    pub id: String,
    pub path: String,
    /// Its file is gone; `false` for a file that somebody keeps elsewhere in the project.
    pub removed: bool,
}
