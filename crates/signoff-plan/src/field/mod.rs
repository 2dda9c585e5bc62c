//! The fields of a plan and of its steps, each described once: its name, its type, and its member in the
//! draft and in the model. Reading, checking, writing, editing and the digest iterate over these tables;
//! `spelling` has the name of each field in each dialect.
//!
//! A new field is a member of the draft and of the model, a line in a table here, and a line in the
//! spelling of each dialect that has it.
//!
//! A value is JSON here, spelled as people write it: a budget, a duration, a failure policy and a
//! condition are text in their own grammar, `depends_on` is a list of ids.

mod contract;
mod metadata;
mod normalize;
mod plan;
mod shape;
mod step;
mod work;

use serde_json::{Value, json};

pub(crate) use self::contract::CONTRACT;
pub(crate) use self::metadata::{MetadataShape, metadata_shape};
pub use self::normalize::{normalize, typed_value};
pub(crate) use self::plan::PLAN;
pub(crate) use self::shape::{DraftMember, FieldRole, FieldSpec, Shape, TextStyle};
pub(crate) use self::step::STEP;
use self::work::WORK;
use crate::draft;
use crate::model::{Condition, PLAN_RECORD, Plan, STEP_RECORD, Step};
use crate::spelling::{self, Dialect};

/// The name of every field of a plan; metadata comes last.
pub fn plan_names() -> impl Iterator<Item = &'static str> {
    PLAN.iter().map(|field| field.name).chain(PLAN_RECORD)
}

/// The name of every field of a step; metadata comes last.
pub fn step_names() -> impl Iterator<Item = &'static str> {
    let own = WORK.iter().map(|field| field.name);
    let own = own.chain(CONTRACT.iter().map(|field| field.name));
    let own = own.chain(STEP.iter().map(|field| field.name));
    own.chain(STEP_RECORD)
}

/// The name of a field of a plan; `record.NAME` is accepted too.
pub fn plan_name(field: &str) -> Option<&'static str> {
    let field = field.strip_prefix("record.").unwrap_or(field);
    plan_names().find(|name| *name == field)
}

/// The name of a field of a step; the names in other dialects are accepted too.
pub fn step_name(field: &str) -> Option<&'static str> {
    let field = field.strip_prefix("work.").unwrap_or(field);
    let field = field.strip_prefix("record.").unwrap_or(field);
    let field = spelling::label_of(field).unwrap_or(field);
    step_names().find(|name| *name == field)
}

/// The field of a plan with this name.
pub(crate) fn of_plan(name: &str) -> Option<&'static FieldSpec<draft::Draft, Plan>> {
    PLAN.iter().find(|field| field.name == name)
}

/// The field of a step with this name, without those of its contract.
pub(crate) fn of_step(name: &str) -> Option<&'static FieldSpec<draft::DraftStep, Step>> {
    WORK.iter().chain(&STEP).find(|field| field.name == name)
}

/// The field of a contract with this name.
pub(crate) fn of_contract(
    name: &str,
) -> Option<&'static FieldSpec<draft::DraftContract, crate::model::Contract>> {
    CONTRACT.iter().find(|field| field.name == name)
}

/// The value of a field of the plan: `null` if it is not given, `None` if there is no such field.
pub fn plan_value(plan: &Plan, field: &str) -> Option<Value> {
    let name = plan_name(field)?;
    Some(match of_plan(name) {
        Some(field) => field.shape.value(plan),
        None => plan.record.get(name).cloned().unwrap_or_default(),
    })
}

/// The value of a field of the step at `at`.
pub fn step_value(plan: &Plan, at: usize, field: &str) -> Option<Value> {
    let step = plan.steps.get(at)?;
    let name = step_name(field)?;
    if name == "depends_on" {
        return Some(plan.dependency_ids(at).collect());
    }
    if let Some(field) = of_contract(name) {
        return Some(match (&step.contract, name) {
            (Some(contract), _) => field.shape.value(contract),
            (None, "contract.expect") => json!([]),
            (None, "contract.baseline") => json!(true),
            (None, _) => Value::Null,
        });
    }
    Some(match of_step(name) {
        Some(field) => field.shape.value(step),
        None => step.record.get(name).cloned().unwrap_or_default(),
    })
}

/// Whether a field of a plan or a step holds markdown of any length.
pub(crate) fn is_prose(name: &str) -> bool {
    let of_step = of_step(name).is_some_and(|field| field.shape.is_prose());
    let of_plan = of_plan(name).is_some_and(|field| field.shape.is_prose());
    of_step || of_plan || name == "question"
}

/// Whether a field of a plan or a step holds names, which can be written on one line.
pub(crate) fn is_names(name: &str) -> bool {
    let field = of_step(name).map(|field| &field.shape);
    matches!(field, Some(Shape::Names(_) | Shape::Scope(_))) || name == "depends_on"
}

/// The default and the words of the flag with this name.
fn flag(name: &str) -> Option<(bool, &'static [&'static str])> {
    let of_contract = of_contract(name).and_then(|field| field.shape.flag());
    of_contract.or_else(|| of_step(name)?.shape.flag())
}

/// The default of a flag.
fn flag_default(name: &str) -> bool {
    flag(name).is_some_and(|(usual, _)| usual)
}

/// The word for a flag that is set.
pub(crate) fn flag_word(name: &str) -> &'static str {
    let words = flag(name).map(|(_, words)| words).unwrap_or_default();
    words.first().copied().unwrap_or("yes")
}

/// Whether a value is the default in a dialect. That of `on_fail` depends on the step:
/// [`Dialect::default_on_fail`].
pub(crate) fn is_default_value(dialect: Dialect, name: &str, value: &Value) -> bool {
    match (name, value) {
        (_, Value::Null) => true,
        ("briefing", Value::String(word)) => word == dialect.default_briefing().word(),
        ("contract.expect", Value::Array(items)) => {
            items.is_empty() || *items == [Condition::DEFAULT.to_string()]
        }
        (name, Value::Bool(yes)) => *yes == flag_default(name),
        (name, Value::Array(items)) => items.is_empty() && name != "tools",
        ("params", Value::Object(members)) => members.is_empty(),
        (_, Value::String(_) | Value::Number(_) | Value::Object(_)) => false,
    }
}

/// Clears a field of the plan. Returns whether there is a field of this name.
pub fn clear_plan(plan: &mut Plan, field: &str) -> bool {
    let Some(name) = plan_name(field) else {
        return false;
    };
    match of_plan(name) {
        Some(field) => field.shape.clear(plan),
        None => {
            plan.record.remove(name);
        }
    }
    true
}

/// Clears a field of a step. Returns whether there is a field of this name.
///
/// Work and contract disappear when all their fields are cleared.
pub fn clear_step(step: &mut Step, field: &str) -> bool {
    let Some(name) = step_name(field) else {
        return false;
    };
    match (of_step(name), of_contract(name)) {
        (Some(field), _) => field.shape.clear(step),
        (None, Some(field)) => contract::clear(&mut step.contract, field),
        (None, None) => {
            step.record.remove(name);
        }
    }
    true
}

#[cfg(test)]
mod tests;
