//! The one spelling of a value that may be written in several ways.

use serde_json::{Map, Value, json};

use crate::model::{Condition, Plan, is_id};
use crate::{budget, condition, duration, on_fail, subscription};

/// The value as [`super::step_value`] and [`super::plan_value`] would give it, or why no field of
/// this name can have it. `null` stays `null`: the field is taken away.
///
/// `plan` is asked for the ids of its steps; `name` is one of the names in [`super`].
pub fn normal(plan: &Plan, name: &str, value: &Value) -> Result<Value, String> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    match name {
        "version" | "max_items" => number(name, value),
        "approval" | "critical" | "contract.baseline" => yes_or_no(name, value),
        "contract.fewer_tests" => word(name, value, "allowed", "no"),
        "contract.holds" => word(name, value, "once", "always"),
        "timeout" | "contract.timeout" => text(name, value, |text| {
            duration::parse(text).map(duration::format)
        }),
        "budget" => {
            let written = string(name, value)?;
            budget::parse(written).map(|limits| json!(budget::format(&limits)))
        }
        "on_fail" => text(name, value, |text| {
            on_fail::parse(text).map(|policy| policy.to_string())
        }),
        "contract.expect" => conditions(value),
        "subscriptions" => each(name, value, |text| {
            Some(subscription::parse(text)?.to_string())
        }),
        "depends_on" => dependencies(plan, value),
        "tools" | "constraints" | "risks" | "produces" | "protects" | "locks" | "acceptance"
        | "subtasks" | "choices" => each(name, value, |text| Some(text.to_owned())),
        "params" => {
            let object = value.is_object().then(|| value.clone());
            object.ok_or_else(|| "`params` is an object".to_owned())
        }
        "hint" => hint(value),
        "contract.command" => text(name, value, |text| {
            (!text.trim().is_empty()).then(|| text.replace("\r\n", "\n"))
        }),
        "id" => {
            let id = string(name, value)?;
            let usable = is_id(id) && id != "none" && !id.starts_with('-');
            let why = || format!("`{id}` is no id: it may only hold letters, digits, `_` and `-`");
            usable.then(|| value.clone()).ok_or_else(why)
        }
        "title" | "task" | "context" | "status" | "owner" | "previous" | "priority"
        | "executor_model" | "role" | "tool" | "question" | "when" | "for_each" | "isolation"
        | "instructions" | "contract.shell" => text(name, value, |text| {
            (!text.is_empty()).then(|| text.replace("\r\n", "\n"))
        }),
        // Arguments and records have the author's own shape.
        _ => Ok(value.clone()),
    }
}

fn wrong(name: &str, value: &Value) -> String {
    format!("`{name}` cannot be {value}")
}

fn string<'v>(name: &str, value: &'v Value) -> Result<&'v str, String> {
    value.as_str().ok_or_else(|| wrong(name, value))
}

fn text(name: &str, value: &Value, read: impl Fn(&str) -> Option<String>) -> Result<Value, String> {
    let read = read(string(name, value)?);
    read.map(Value::from).ok_or_else(|| wrong(name, value))
}

fn each(name: &str, value: &Value, read: impl Fn(&str) -> Option<String>) -> Result<Value, String> {
    let items = value.as_array().ok_or_else(|| wrong(name, value))?;
    items
        .iter()
        .map(|item| {
            text(name, item, |text| {
                read(text).filter(|text| !text.is_empty())
            })
        })
        .collect()
}

fn number(name: &str, value: &Value) -> Result<Value, String> {
    let number = match value.as_str() {
        Some(text) => text.parse().ok(),
        None => value.as_u64(),
    };
    number
        .map(Value::from)
        .ok_or_else(|| format!("`{name}` is a whole number, not {value}"))
}

fn yes_or_no(name: &str, value: &Value) -> Result<Value, String> {
    if value.is_boolean() {
        return Ok(value.clone());
    }
    let word = value.as_str().map(str::to_lowercase).unwrap_or_default();
    match word.as_str() {
        "yes" | "true" => Ok(json!(true)),
        "required" if name == "approval" => Ok(json!(true)),
        "no" | "false" => Ok(json!(false)),
        _ => Err(wrong(name, value)),
    }
}

fn word(name: &str, value: &Value, set: &str, unset: &str) -> Result<Value, String> {
    match value.as_str().map(str::to_lowercase) {
        Some(word) if word == set => Ok(json!(set)),
        Some(word) if word == unset => Ok(Value::Null),
        _ => Err(wrong(name, value)),
    }
}

fn conditions(value: &Value) -> Result<Value, String> {
    let items = value
        .as_array()
        .ok_or_else(|| wrong("contract.expect", value))?;
    let mut conditions = Vec::new();
    for item in items {
        let text = string("contract.expect", item)?;
        let read = condition::parse(text).map_err(|why| format!("condition `{text}`: {why}"))?;
        conditions.push(read);
    }
    let exit_code = |condition: &Condition| matches!(condition, Condition::ExitCode(_));
    if !conditions.iter().any(exit_code) {
        conditions.insert(0, Condition::DEFAULT);
    }
    Ok(conditions.iter().map(ToString::to_string).collect())
}

/// Ids of steps, in plan order.
fn dependencies(plan: &Plan, value: &Value) -> Result<Value, String> {
    let items = value.as_array().ok_or_else(|| wrong("depends_on", value))?;
    let mut positions = Vec::new();
    for item in items {
        let unknown = || format!("`depends_on` names {item}, which is no step");
        positions.push(position(plan, item).ok_or_else(unknown)?);
    }
    positions.sort_unstable();
    positions.dedup();
    let ids = positions.iter().filter_map(|at| plan.steps.get(*at));
    Ok(ids.map(|step| step.id.clone()).collect())
}

fn position(plan: &Plan, item: &Value) -> Option<usize> {
    match item.as_str() {
        Some(id) => plan
            .index_of(id)
            .or_else(|| numbered(plan, id.parse().ok()?)),
        None => numbered(plan, item.as_u64()?.try_into().ok()?),
    }
}

fn numbered(plan: &Plan, number: usize) -> Option<usize> {
    number.checked_sub(1).filter(|at| *at < plan.steps.len())
}

fn hint(value: &Value) -> Result<Value, String> {
    let members = value.as_object().ok_or_else(|| wrong("hint", value))?;
    let mut out = Map::new();
    for name in ["tool", "operation", "target"] {
        let member = members.get(name).cloned().unwrap_or_default();
        if !member.is_null() && !member.is_string() {
            return Err(wrong(name, &member));
        }
        out.insert(name.to_owned(), member);
    }
    Ok(Value::Object(out))
}
