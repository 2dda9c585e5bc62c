//! The value of a field.

use serde_json::{Value, json};

use super::{plan_name, step_name};
use crate::model::{Budget, Hint, Plan, Step, Work};
use crate::{budget, duration};

/// The value of a field of the plan: `null` where it is not given, `None` where there is no such
/// field.
pub fn plan_value(plan: &Plan, field: &str) -> Option<Value> {
    Some(match plan_name(field)? {
        "id" => json!(plan.id),
        "title" => json!(plan.title),
        "task" => json!(plan.task),
        "context" => json!(plan.context),
        "status" => json!(plan.status),
        "version" => json!(plan.version),
        "owner" => json!(plan.owner),
        "previous" => json!(plan.previous),
        "budget" => limits(&plan.budget),
        "priority" => json!(plan.priority),
        "tools" => json!(plan.tools),
        "constraints" => json!(plan.constraints),
        "params" => json!(plan.params),
        "risks" => json!(plan.risks),
        "executor_model" => json!(plan.executor_model),
        record => plan.record.get(record).cloned().unwrap_or_default(),
    })
}

/// The value of a field of the step at `at`.
pub fn step_value(plan: &Plan, at: usize, field: &str) -> Option<Value> {
    let step = plan.steps.get(at)?;
    Some(match step_name(field)? {
        "id" => json!(step.id),
        "title" => json!(step.title),
        "status" => json!(if step.claimed {
            Some("done")
        } else {
            step.mark.as_deref()
        }),
        "depends_on" => plan.dependency_ids(at).collect(),
        name @ ("role" | "task" | "tool" | "args" | "question" | "choices") => {
            work(&step.work, name)
        }
        "on_fail" => json!(step.on_fail.to_string()),
        "subscriptions" => step.subscriptions.iter().map(ToString::to_string).collect(),
        "produces" => json!(step.produces),
        "protects" => json!(step.protects),
        "tools" => json!(step.tools),
        "approval" => json!(step.approval),
        "when" => json!(step.when),
        "for_each" => json!(step.for_each),
        "max_items" => json!(step.max_items),
        "timeout" => json!(step.timeout.map(duration::format)),
        "budget" => limits(&step.budget),
        "critical" => json!(step.critical),
        "locks" => json!(step.locks),
        "isolation" => json!(step.isolation),
        "acceptance" => json!(step.acceptance),
        "subtasks" => json!(step.subtasks),
        "instructions" => json!(step.instructions),
        "hint" => step.hint.as_ref().map(hint).unwrap_or_default(),
        name => match name.strip_prefix("contract.") {
            Some(name) => contract(step, name),
            None => step.record.get(name).cloned().unwrap_or_default(),
        },
    })
}

fn limits(budget: &Budget) -> Value {
    json!((!budget.is_empty()).then(|| budget::format(budget)))
}

fn work(work: &Work, name: &str) -> Value {
    match (work, name) {
        (Work::Agent { role, .. }, "role") => json!(role),
        (Work::Agent { task, .. }, "task") => json!(task),
        (Work::Tool { tool, .. }, "tool") => json!(tool),
        (Work::Tool { args, .. }, "args") => args.clone(),
        (Work::Ask { question, .. }, "question") => json!(question),
        (Work::Ask { choices, .. }, "choices") => json!(choices),
        (_, "choices") => json!([]),
        _ => Value::Null,
    }
}

fn contract(step: &Step, name: &str) -> Value {
    let Some(contract) = &step.contract else {
        return match name {
            "expect" => json!([]),
            "baseline" => json!(true),
            _ => Value::Null,
        };
    };
    match name {
        "command" => json!(contract.command),
        "shell" => json!(contract.shell),
        "expect" => contract.expect.iter().map(ToString::to_string).collect(),
        "timeout" => json!(contract.timeout.map(duration::format)),
        "baseline" => json!(contract.baseline),
        "fewer_tests" => json!(contract.fewer_tests_allowed.then_some("allowed")),
        "holds" => json!(contract.holds_once.then_some("once")),
        _ => Value::Null,
    }
}

fn hint(hint: &Hint) -> Value {
    json!({"tool": hint.tool, "operation": hint.operation, "target": hint.target})
}
