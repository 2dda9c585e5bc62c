//! YAML with indexed steps.

use serde_json::Value;

use super::WrittenPlan;
use super::members::{self, MemberWriter};
use super::readback::{self, OmissionReasons};
use crate::model::{Depends, Plan, Work};
use crate::spelling::Dialect;
use crate::yaml::emit;

const DIALECT: Dialect = Dialect::Record;

const REASONS: OmissionReasons = OmissionReasons {
    plan: |name| match name {
        "status" => "a record has no such status",
        _ => "a record has no place for it",
    },
    step: |name| match name {
        "tool" | "args" => "a record has no tool steps",
        "status" => "a step of a record has no such status",
        "question" | "task" => "it would be read differently",
        _ => "a step of a record has no place for it",
    },
};

pub(super) fn write(plan: &Plan) -> WrittenPlan {
    let text = emit::document(&value(plan));
    readback::write_single_file(plan, text, DIALECT, &REASONS)
}

fn value(plan: &Plan) -> Value {
    let mut out = MemberWriter::default();
    for key in DIALECT.plan_keys() {
        let value = match key.field {
            None => {
                let steps = 0..plan.steps.len();
                Some(steps.map(|at| step_value(plan, at)).collect())
            }
            Some("status") => super::plan_status(plan, DIALECT).map(Value::from),
            Some(name) => members::plan(plan, name, DIALECT),
        };
        out.put_some(key.key, value);
    }
    out.into_value()
}

fn step_value(plan: &Plan, at: usize) -> Value {
    let mut out = MemberWriter::default();
    let Some(step) = plan.steps.get(at) else {
        return out.into_value();
    };
    let (task, role) = match &step.work {
        Work::Agent { role, task } => (Some(task.as_str()), role.as_deref()),
        Work::Ask { .. } | Work::Tool { .. } => (Some(step.title.as_str()), None),
        Work::Check => (None, None),
    };
    let title = Some(step.title.as_str()).filter(|title| task != Some(title));
    let implicit = step.id == format!("step-{}", at + 1);
    for key in DIALECT.step_keys() {
        let value = match key.field {
            None => Some(Value::from(at)),
            Some("id") => (!implicit).then(|| Value::from(step.id.as_str())),
            Some("title") => title.map(Value::from),
            Some("task") => task.map(Value::from),
            Some("role") => role.map(Value::from),
            Some("status") => super::step_status(step, DIALECT).map(Value::from),
            Some("depends_on") => (step.depends_on != Depends::AllBefore)
                .then(|| plan.dependencies(at).map(Value::from).collect()),
            Some(name) => members::step(plan, at, name, DIALECT),
        };
        out.put_some(key.key, value);
    }
    out.shorten_contract();
    out.into_value()
}
