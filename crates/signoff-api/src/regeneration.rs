//! `signoff.regeneration/1`: a planner that writes a plan anew, in a process of its own.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::plan_ref::PlanRef;

pub const SCHEMA: &str = "signoff.regeneration/1";

/// How far the planner is with a plan, or how it ended the last time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Regeneration {
    pub schema: String,
    /// Key of the plan.
    pub plan: String,
    pub state: RegenerationState,
    /// The only step that may change; `null` = the whole plan.
    pub step: Option<String>,
    /// What the person said.
    pub comment: Option<String>,
    /// Who asked for it.
    pub by: Option<String>,
    pub started_at: Option<String>,
    /// What the planner's process said so far, a line each.
    pub progress: Vec<String>,
    /// The plan as it is now, if the planner wrote it.
    pub revised: Option<PlanRef>,
    /// Why it did not; the plan is as it was.
    pub error: Option<Error>,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RegenerationState {
    /// Nobody has asked for it.
    None,
    Running,
    Done,
    Failed,
}
