//! Fields of a plan by name: what an edit changes, what a dialect cannot hold, what a test covers.
//!
//! A value is JSON here, spelled as people write it: a budget, a duration, a failure policy and a
//! condition are text in their own grammar, `depends_on` is a list of ids.

mod clear;
mod normal;
mod value;

pub use self::clear::{clear_plan, clear_step};
pub use self::normal::normal;
pub use self::value::{plan_value, step_value};
use crate::model::{PLAN_RECORD, STEP_RECORD};

/// Fields of a plan that are no record.
pub const PLAN: [&str; 15] = [
    "id",
    "title",
    "task",
    "context",
    "status",
    "version",
    "owner",
    "previous",
    "budget",
    "priority",
    "tools",
    "constraints",
    "params",
    "risks",
    "executor_model",
];

/// Fields of a step that are no record.
pub const STEP: [&str; 33] = [
    "id",
    "title",
    "status",
    "depends_on",
    "role",
    "task",
    "tool",
    "args",
    "question",
    "choices",
    "contract.command",
    "contract.shell",
    "contract.expect",
    "contract.timeout",
    "contract.baseline",
    "contract.fewer_tests",
    "contract.holds",
    "on_fail",
    "subscriptions",
    "produces",
    "protects",
    "tools",
    "approval",
    "when",
    "for_each",
    "max_items",
    "timeout",
    "budget",
    "critical",
    "locks",
    "isolation",
    "acceptance",
    "subtasks",
];

/// Fields of a step that only some dialects have.
pub const STEP_EXTRA: [&str; 2] = ["instructions", "hint"];

/// The name of a field of a plan; also for `record.NAME`.
pub fn plan_name(field: &str) -> Option<&'static str> {
    let field = field.strip_prefix("record.").unwrap_or(field);
    let mut names = PLAN.iter().chain(&PLAN_RECORD);
    names.find(|name| **name == field).copied()
}

/// The name of a field of a step; also for the names that dialects have for it.
pub fn step_name(field: &str) -> Option<&'static str> {
    let field = field.strip_prefix("work.").unwrap_or(field);
    let field = field.strip_prefix("record.").unwrap_or(field);
    let field = match field {
        "target" | "agent" => "role",
        "ask" => "question",
        "contract" => "contract.command",
        "expect" => "contract.expect",
        "contract_timeout" => "contract.timeout",
        "baseline" => "contract.baseline",
        "fewer_tests" => "contract.fewer_tests",
        "holds" => "contract.holds",
        "accept" => "acceptance",
        other => other,
    };
    let mut names = STEP.iter().chain(&STEP_EXTRA).chain(&STEP_RECORD);
    names.find(|name| **name == field).copied()
}

#[cfg(test)]
mod tests;
