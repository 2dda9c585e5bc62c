//! `signoff.comments/1`: what people, agents and critics said about a plan.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan_log::{CommentKind, ObjectionSeverity};

pub const SCHEMA: &str = "signoff.comments/1";

/// The comments of a plan, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comments {
    pub schema: String,
    /// Key of the plan: its id, else its path.
    pub plan: String,
    pub comments: Vec<Comment>,
}

/// One comment, or one objection of a critic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Comment {
    /// `c1`, `c2`, …
    pub id: String,
    /// When, in UTC with milliseconds.
    pub at: String,
    pub by: String,
    /// `person`, `agent` or `planner`.
    pub actor: String,
    /// Id that the step has now; `null` = the plan as a whole.
    pub step: Option<String>,
    /// The plan no longer has this step.
    pub is_step_gone: bool,
    pub text: String,
    pub kind: CommentKind,
    /// Of an objection.
    pub severity: Option<ObjectionSeverity>,
    /// Version of the plan that it was said about.
    pub version: Option<u64>,
    /// Digest of the definition that it was said about.
    pub digest: String,
    /// Who resolved it; `null` = it is open.
    pub resolved_by: Option<String>,
}
