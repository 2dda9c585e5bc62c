//! Brings a value that can be written in several ways into one form.

use serde_json::{Map, Value, json};

use super::shape::{Shape, TextStyle};
use super::{of_contract, of_plan, of_step};
use crate::model::{Condition, Plan, is_id};
use crate::{budget, condition, duration, on_fail, subscription};

/// Normalizes the value of the field with this name, or says why the field cannot have it.
pub(super) type NormalizeFn = fn(&str, &Value) -> Result<Value, String>;

/// The value as [`super::step_value`] and [`super::plan_value`] return it, or why the field cannot have
/// it. `null` stays `null`: it clears the field.
///
/// `plan` gives the ids of steps; `name` is one of the names in [`super`].
pub fn normalize(plan: &Plan, name: &str, value: &Value) -> Result<Value, String> {
    if value.is_null() {
        return Ok(Value::Null);
    }
    if name == "depends_on" {
        return dependencies(plan, value);
    }
    match (of_step(name), of_contract(name), of_plan(name)) {
        (Some(field), _, _) => field.shape.normalize(name, value),
        (_, Some(field), _) => field.shape.normalize(name, value),
        (_, _, Some(field)) => field.shape.normalize(name, value),
        // Metadata can have any shape.
        (None, None, None) => any(name, value),
    }
}

/// The value of a field as people type it: text where the field is text, JSON, or names with commas between them.
pub fn typed_value(plan: &Plan, name: &str, text: &str) -> Value {
    let as_text = Value::from(text);
    if !matches!(name, "args" | "result") && normalize(plan, name, &as_text).is_ok() {
        return as_text;
    }
    let names_steps = name == "depends_on";
    // The number of a step is a list of one step.
    if let Ok(read) = serde_json::from_str::<Value>(text)
        && !(read.is_string() || names_steps && read.is_number())
    {
        return read;
    }
    let items = text.split(',').map(str::trim);
    let items = items.filter(|item| !item.is_empty() && *item != "none");
    let list: Value = items.collect();
    match normalize(plan, name, &list) {
        Ok(_) => list,
        // The reason is better told of the list: which name is of no step.
        Err(_) if names_steps => list,
        Err(_) => as_text,
    }
}

impl<D, M> Shape<D, M> {
    fn normalize(&self, name: &str, value: &Value) -> Result<Value, String> {
        match self {
            Self::Text(_, TextStyle::Id) => id(name, value),
            Self::Text(..) | Self::Choice(..) => text(name, value),
            Self::Number(..) => number(name, value),
            Self::Duration(_) => {
                let read = |text: &str| duration::parse(text).map(duration::format);
                read_text(name, value, read)
            }
            Self::Budget(_) => {
                let written = string(name, value)?;
                budget::parse(written).map(|limits| json!(budget::format(&limits)))
            }
            Self::Flag(_, _, words) => yes_or_no(name, value, words),
            Self::Switch(_, words) => switch(name, value, words),
            Self::Policy(_) => {
                let read = |text: &str| on_fail::parse(text).map(|policy| policy.to_string());
                read_text(name, value, read)
            }
            Self::Names(_) | Self::Sentences(_) | Self::Scope(_) => list(name, value),
            Self::References(_) => {
                let read = |text: &str| Some(subscription::parse(text)?.to_string());
                read_items(name, value, read)
            }
            Self::Custom(special) => (special.normalize)(name, value),
        }
    }
}

fn wrong_value(name: &str, value: &Value) -> String {
    format!("`{name}` cannot be {value}")
}

fn string<'v>(name: &str, value: &'v Value) -> Result<&'v str, String> {
    value.as_str().ok_or_else(|| wrong_value(name, value))
}

fn read_text(
    name: &str,
    value: &Value,
    read: impl Fn(&str) -> Option<String>,
) -> Result<Value, String> {
    let read = read(string(name, value)?);
    read.map(Value::from)
        .ok_or_else(|| wrong_value(name, value))
}

fn read_items(
    name: &str,
    value: &Value,
    read: impl Fn(&str) -> Option<String>,
) -> Result<Value, String> {
    let items = value.as_array().ok_or_else(|| wrong_value(name, value))?;
    let read = |text: &str| read(text).filter(|text| !text.is_empty());
    items
        .iter()
        .map(|item| read_text(name, item, read))
        .collect()
}

#[expect(clippy::unnecessary_wraps, reason = "one of several ways to normalise")]
pub(super) fn any(_: &str, value: &Value) -> Result<Value, String> {
    Ok(value.clone())
}

pub(super) fn text(name: &str, value: &Value) -> Result<Value, String> {
    read_text(name, value, |text| {
        (!text.is_empty()).then(|| text.replace("\r\n", "\n"))
    })
}

pub(super) fn command(name: &str, value: &Value) -> Result<Value, String> {
    read_text(name, value, |text| {
        (!text.trim().is_empty()).then(|| text.replace("\r\n", "\n"))
    })
}

pub(super) fn list(name: &str, value: &Value) -> Result<Value, String> {
    read_items(name, value, |text| Some(text.to_owned()))
}

pub(super) fn object(name: &str, value: &Value) -> Result<Value, String> {
    let object = value.is_object().then(|| value.clone());
    object.ok_or_else(|| format!("`{name}` is an object"))
}

pub(super) fn id(name: &str, value: &Value) -> Result<Value, String> {
    let id = string(name, value)?;
    let usable = is_id(id) && id != "none" && !id.starts_with('-');
    let why = || format!("`{id}` is not an id: it may only hold letters, digits, `_` and `-`");
    usable.then(|| value.clone()).ok_or_else(why)
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

fn yes_or_no(name: &str, value: &Value, words: &[&str]) -> Result<Value, String> {
    if value.is_boolean() {
        return Ok(value.clone());
    }
    let word = value.as_str().map(str::to_lowercase);
    match word.as_deref().filter(|word| words.contains(word)) {
        Some("no" | "false") => Ok(json!(false)),
        Some(_) => Ok(json!(true)),
        None => Err(wrong_value(name, value)),
    }
}

/// The first word is the value; the second means no value.
fn switch(name: &str, value: &Value, words: &[&str]) -> Result<Value, String> {
    let word = value.as_str().map(str::to_lowercase);
    let position = words
        .iter()
        .position(|known| Some(*known) == word.as_deref());
    match position {
        Some(0) => Ok(json!(words.first())),
        Some(_) => Ok(Value::Null),
        None => Err(wrong_value(name, value)),
    }
}

pub(super) fn conditions(name: &str, value: &Value) -> Result<Value, String> {
    let items = value.as_array().ok_or_else(|| wrong_value(name, value))?;
    let mut conditions = Vec::new();
    for item in items {
        let text = string(name, item)?;
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
    let items = value
        .as_array()
        .ok_or_else(|| wrong_value("depends_on", value))?;
    let mut positions = Vec::new();
    for item in items {
        let unknown = || format!("`depends_on` names {item}, which is not a step");
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
            .or_else(|| position_of_number(plan, id.parse().ok()?)),
        None => position_of_number(plan, item.as_u64()?.try_into().ok()?),
    }
}

fn position_of_number(plan: &Plan, number: usize) -> Option<usize> {
    number.checked_sub(1).filter(|at| *at < plan.steps.len())
}

pub(super) fn hint(name: &str, value: &Value) -> Result<Value, String> {
    let members = value.as_object().ok_or_else(|| wrong_value(name, value))?;
    let mut out = Map::new();
    for name in ["tool", "operation", "target"] {
        let member = members.get(name).cloned().unwrap_or_default();
        if !member.is_null() && !member.is_string() {
            return Err(wrong_value(name, &member));
        }
        out.insert(name.to_owned(), member);
    }
    Ok(Value::Object(out))
}
