//! The native single file: frontmatter and bold labels.

use super::keys::{FieldKey, keys, names};

/// The frontmatter.
pub(crate) const HEADER: [FieldKey; 10] = keys![
    "type" => _, "status", "owner", "id", "version", "previous", "briefing",
    "approval_required_from", "params", "record" => _,
];

/// Labels of a plan, in the order they are written in. The narrative comes last: it may hold sections
/// of its own. The risks have a section behind the steps.
pub(crate) const PLAN: [FieldKey; 8] = keys![
    "budget",
    "priority",
    "executor_model",
    "tools",
    "constraints",
    "task",
    "context",
    "risks",
];

/// Labels of a step, in the order they are written in.
pub(crate) const STEP: [FieldKey; 34] = keys![
    "id", "target" => "role", "tool", "args", "depends_on", "when", "for_each", "max_items",
    "subscriptions", "task", "instructions", "ask" => "question", "choices",
    "contract" => "contract.command", "contract_timeout" => "contract.timeout",
    "baseline" => "contract.baseline", "fewer_tests" => "contract.fewer_tests",
    "holds" => "contract.holds", "on_fail", "produces", "protects", "tools", "approval", "timeout",
    "budget", "critical", "locks", "isolation", "reviewer", "tool_hint" => "hint", "accept" => "acceptance",
    "subtasks", "record" => _, "status",
];

pub(crate) const HEADER_NAMES: [&str; HEADER.len()] = names(&HEADER);
pub(crate) const PLAN_NAMES: [&str; PLAN.len()] = names(&PLAN);
pub(crate) const STEP_NAMES: [&str; STEP.len()] = names(&STEP);
