//! A directory: frontmatter of `plan.md` and of each task.

use super::keys::{FieldKey, keys, names};

/// The frontmatter of `plan.md`.
pub(crate) const PLAN: [FieldKey; 1] = keys!["title"];

/// The frontmatter of a task, in the order it is written in.
pub(crate) const STEP: [FieldKey; 17] = keys![
    "id", "title", "depends_on", "agent" => "role", "subtasks", "on_fail", "produces", "protects",
    "tools", "timeout", "priority", "estimated_effort", "tags", "approval", "when",
    "contract" => "contract.command", "expect" => "contract.expect",
];

pub(crate) const PLAN_NAMES: [&str; PLAN.len()] = names(&PLAN);
pub(crate) const STEP_NAMES: [&str; STEP.len()] = names(&STEP);
