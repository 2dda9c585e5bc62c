//! `signoff.plan_ref/1`: the plan that a command created or changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::approval::ApprovalStatus;

pub const SCHEMA: &str = "signoff.plan_ref/1";

/// Where a plan stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanRef {
    pub schema: String,
    pub id: String,
    pub status: String,
    pub version: Option<u64>,
    pub digest: String,
    pub path: String,
    /// Whose signatures it needs, where it was just signed and more is asked for than one of whomever.
    #[serde(default)]
    pub approval: Option<ApprovalStatus>,
}
