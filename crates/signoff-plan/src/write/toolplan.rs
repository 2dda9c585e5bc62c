//! JSON with tool steps.

use serde_json::Value;

use super::WrittenPlan;
use super::members::{self, MemberWriter};
use super::readback::{self, OmissionReasons};
use crate::model::{Depends, Plan, Work};
use crate::spelling::Dialect;

const DIALECT: Dialect = Dialect::Toolplan;

const REASONS: OmissionReasons = OmissionReasons {
    plan: |name| match name {
        "status" => "a toolplan holds no status: it is kept by the store",
        _ => "a toolplan has no place for it",
    },
    step: |name| match name {
        "role" | "task" => "a toolplan has no agent steps",
        "depends_on" => {
            "a toolplan names every step that another waits for, and these are too many; only the one before is named"
        }
        _ => "a step of a toolplan has no place for it",
    },
};

pub(super) fn write(plan: &Plan) -> WrittenPlan {
    let value = value(plan);
    // Only values that JSON has: this cannot fail.
    let text = serde_json::to_string_pretty(&value).expect("a JSON value serialises") + "\n";
    readback::write_single_file(plan, text, DIALECT, &REASONS)
}

fn value(plan: &Plan) -> Value {
    let mut out = MemberWriter::default();
    // The file would be many times the plan, and soon too large to be read.
    let too_many = plan.has_too_many_names();
    for key in DIALECT.plan_keys() {
        let value = match key.field {
            None => {
                let steps = 0..plan.steps.len();
                Some(steps.map(|at| step_value(plan, at, too_many)).collect())
            }
            Some(name) => members::plan(plan, name, DIALECT),
        };
        out.put_some(key.key, value);
    }
    out.into_value()
}

/// One step; of `too_many` steps before it only the last one is named.
fn step_value(plan: &Plan, at: usize, too_many: bool) -> Value {
    let mut out = MemberWriter::default();
    let Some(step) = plan.steps.get(at) else {
        return out.into_value();
    };
    // What the reader calls a step without one.
    let unsaid = match &step.work {
        Work::Ask { question, .. } => question,
        Work::Agent { .. } | Work::Tool { .. } | Work::Check => &step.id,
    };
    for key in DIALECT.step_keys() {
        let value = match key.field {
            None => None,
            Some("title") => (step.title != *unsaid).then(|| Value::from(step.title.as_str())),
            Some("depends_on") => {
                let all = !too_many || step.depends_on != Depends::AllBefore;
                let first = if all { 0 } else { at.saturating_sub(1) };
                Some(plan.dependency_ids(at).skip(first).collect())
            }
            Some("status") => super::step_status(step, DIALECT).map(Value::from),
            Some(name) => members::step(plan, at, name, DIALECT),
        };
        out.put_some(key.key, value);
    }
    out.shorten_contract();
    out.into_value()
}
