//! Plans without one of their fields: two plans that are equal then differ in nothing else.

use serde_json::{Map, Value};

use super::{plan_name, step_name};
use crate::model::{Budget, Condition, Contract, Depends, OnFail, Plan, Step, Work};

/// Takes a field of the plan away; whether there is one of this name.
pub fn clear_plan(plan: &mut Plan, field: &str) -> bool {
    let Some(name) = plan_name(field) else {
        return false;
    };
    match name {
        "id" => plan.id = None,
        "title" => plan.title = None,
        "task" => plan.task = None,
        "context" => plan.context = None,
        "status" => plan.status = None,
        "version" => plan.version = None,
        "owner" => plan.owner = None,
        "previous" => plan.previous = None,
        "budget" => plan.budget = Budget::default(),
        "priority" => plan.priority = None,
        "tools" => plan.tools = None,
        "constraints" => plan.constraints.clear(),
        "params" => plan.params.clear(),
        "risks" => plan.risks.clear(),
        "executor_model" => plan.executor_model = None,
        record => {
            plan.record.remove(record);
        }
    }
    true
}

/// Takes a field of a step away; whether there is one of this name.
///
/// Of its work and its contract nothing is left once every part is taken away.
pub fn clear_step(step: &mut Step, field: &str) -> bool {
    let Some(name) = step_name(field) else {
        return false;
    };
    match name {
        "id" => step.id.clear(),
        "title" => step.title.clear(),
        "status" => {
            step.claimed = false;
            step.mark = None;
        }
        "depends_on" => step.depends_on = Depends::AllBefore,
        "role" | "task" | "tool" | "args" | "question" | "choices" => {
            clear_work(&mut step.work, name);
        }
        "on_fail" => step.on_fail = OnFail::DEFAULT,
        "subscriptions" => step.subscriptions.clear(),
        "produces" => step.produces.clear(),
        "protects" => step.protects.clear(),
        "tools" => step.tools = None,
        "approval" => step.approval = false,
        "when" => step.when = None,
        "for_each" => step.for_each = None,
        "max_items" => step.max_items = None,
        "timeout" => step.timeout = None,
        "budget" => step.budget = Budget::default(),
        "critical" => step.critical = true,
        "locks" => step.locks.clear(),
        "isolation" => step.isolation = None,
        "acceptance" => step.acceptance.clear(),
        "subtasks" => step.subtasks.clear(),
        "instructions" => step.instructions = None,
        "hint" => step.hint = None,
        name => match name.strip_prefix("contract.") {
            Some(name) => clear_contract(&mut step.contract, name),
            None => {
                step.record.remove(name);
            }
        },
    }
    true
}

fn clear_work(work: &mut Work, name: &str) {
    match (&mut *work, name) {
        (Work::Agent { role, .. }, "role") => *role = None,
        (Work::Agent { task, .. }, "task") => task.clear(),
        (Work::Tool { tool, .. }, "tool") => tool.clear(),
        (Work::Tool { args, .. }, "args") => *args = Value::Object(Map::new()),
        (Work::Ask { question, .. }, "question") => question.clear(),
        (Work::Ask { choices, .. }, "choices") => choices.clear(),
        _ => {}
    }
    let nothing = match &*work {
        Work::Agent { role, task } => role.is_none() && task.is_empty(),
        Work::Tool { tool, args } => tool.is_empty() && args.as_object().is_some_and(Map::is_empty),
        Work::Ask { question, choices } => question.is_empty() && choices.is_empty(),
        Work::Check => false,
    };
    if nothing {
        *work = Work::Check;
    }
}

fn clear_contract(place: &mut Option<Contract>, name: &str) {
    let Some(contract) = place else {
        return;
    };
    match name {
        "command" => contract.command.clear(),
        "shell" => contract.shell = None,
        "expect" => contract.expect = vec![Condition::DEFAULT],
        "timeout" => contract.timeout = None,
        "baseline" => contract.baseline = true,
        "fewer_tests" => contract.fewer_tests_allowed = false,
        "holds" => contract.holds_once = false,
        _ => {}
    }
    let nothing = Contract {
        command: String::new(),
        shell: None,
        expect: vec![Condition::DEFAULT],
        timeout: None,
        baseline: true,
        fewer_tests_allowed: false,
        holds_once: false,
    };
    if *contract == nothing {
        *place = None;
    }
}
