//! One markdown file with a numbered list: its frontmatter, and the sub-items of a step.

use super::keys::{FieldKey, keys, names};

/// The frontmatter, in the order it is written in.
pub(crate) const PLAN: [FieldKey; 14] = keys![
    "id", "title", "status", "version", "created_at", "updated_at", "planner_model",
    "tools_required" => "tools", "approval_required_from", "executor_model", "execution_session",
    "execution_started_at", "execution_ended_at", "result_summary",
];

/// Sub-items of a step. `task` is for text that is not the description itself.
pub(crate) const STEP: [FieldKey; 5] = keys![
    "task", "contract" => "contract.command", "expect" => "contract.expect", "on_fail", "when",
];

pub(crate) const PLAN_NAMES: [&str; PLAN.len()] = names(&PLAN);
pub(crate) const STEP_NAMES: [&str; STEP.len()] = names(&STEP);
