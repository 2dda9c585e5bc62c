//! `signoff.plans/1`: the plans of a store.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::approval::ApprovalStatus;

pub const SCHEMA: &str = "signoff.plans/1";

/// The plans that were asked for, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plans {
    pub schema: String,
    pub plans: Vec<ListedPlan>,
}

/// One plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Listed")]
pub struct ListedPlan {
    /// Its id, else its path from the project's root.
    pub id: String,
    pub title: String,
    pub status: String,
    pub version: Option<u64>,
    /// When something last happened to it, in UTC.
    pub updated_at: String,
    /// Its file or directory, as it can be typed here.
    pub path: String,
    /// How the signature over its present text and terms is known to be a person's; `null` without
    /// one.
    pub proof: Option<String>,
    /// Whose signatures it needs; `null` where one of whomever is enough.
    #[serde(default)]
    pub approval: Option<ApprovalStatus>,
    /// The state that its file claims, where nothing that is known here made it so: another tool may have begun it. `null`
    /// where file and store agree.
    #[serde(default)]
    pub file_says: Option<String>,
    /// How many questions of its run nobody has answered.
    #[serde(default)]
    pub questions: usize,
}
