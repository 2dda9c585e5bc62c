//! A step's id and title, its dependencies, and the parts of its work.

use serde_json::{Map, Value, json};

use super::normalize::{NormalizeFn, any, id, list, text};
use super::shape::{CustomField, FieldSpec, Shape, field};
use crate::draft;
use crate::model::{Depends, RetriedFailures, Step, Work};

/// A field that only one kind of work has.
macro_rules! part {
    ($name:literal, $normal:expr) => {
        special_field(
            $name,
            |step| value(&step.work, $name),
            |step| clear(step, $name),
            $normal,
        )
    };
}

pub(super) static WORK: [FieldSpec<draft::DraftStep, Step>; 10] = [
    special_field("id", |step| json!(step.id), |step| step.id.clear(), id),
    special_field(
        "title",
        |step| json!(step.title),
        |step| step.title.clear(),
        text,
    ),
    special_field("status", status, clear_status, text),
    // Ids, which only the plan knows: `step_value` and `normalize` ask it.
    special_field(
        "depends_on",
        |_| Value::Null,
        |step| step.depends_on = Depends::AllBefore,
        any,
    ),
    part!("role", text),
    part!("task", text),
    part!("tool", text),
    part!("args", any),
    part!("question", text),
    part!("choices", list),
];

const fn special_field(
    name: &'static str,
    value: fn(&Step) -> Value,
    clear: fn(&mut Step),
    normalize: NormalizeFn,
) -> FieldSpec<draft::DraftStep, Step> {
    field(
        name,
        Shape::Custom(CustomField {
            value,
            clear,
            normalize,
        }),
    )
}

fn status(step: &Step) -> Value {
    match (step.claimed, &step.mark) {
        (true, _) => json!("done"),
        (false, mark) => json!(mark),
    }
}

fn clear_status(step: &mut Step) {
    step.clear_marks();
}

fn value(work: &Work, name: &str) -> Value {
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

fn clear(step: &mut Step, name: &str) {
    let work = &mut step.work;
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
        // Only calls have transient failures.
        step.on_fail.failures = RetriedFailures::Every;
    }
}
