//! JSON with tool steps (seed 001).

use serde_json::Value;

use super::Written;
use super::members::{self, Members};
use super::readback::{self, Reasons};
use crate::model::{Depends, Plan, Step, Work};
use crate::spelling::Dialect;

const DIALECT: Dialect = Dialect::Toolplan;

const REASONS: Reasons = Reasons {
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

pub(super) fn write(plan: &Plan) -> Written {
    let value = value(plan);
    // Only values that JSON has: this cannot fail.
    let text = serde_json::to_string_pretty(&value).unwrap_or_default() + "\n";
    readback::written(plan, text, DIALECT, &REASONS)
}

fn value(plan: &Plan) -> Value {
    let mut out = Members::default();
    out.some("id", plan.id.as_deref());
    out.record("taskId", &plan.record, "task_id");
    out.some("version", plan.version);
    out.some("title", plan.title.as_deref());
    members::plan(&mut out, plan);
    // The file would be many times the plan, and soon too large to be read.
    let too_many = plan.has_too_many_names();
    let steps = plan.steps.iter().enumerate().map(|(at, step)| {
        let all = !too_many || step.depends_on != Depends::AllBefore;
        let first = if all { 0 } else { at.saturating_sub(1) };
        let dependencies = plan.dependencies(at).skip(first);
        step_value(plan, step, dependencies)
    });
    out.put("steps", steps.collect::<Vec<_>>());
    out.record("estimatedDuration", &plan.record, "estimated_duration");
    out.record("createdAt", &plan.record, "created_at");
    out.into_value()
}

fn step_value(plan: &Plan, step: &Step, dependencies: impl Iterator<Item = usize>) -> Value {
    let mut out = Members::default();
    out.put("id", step.id.as_str());
    // What the reader calls a step without one.
    let unsaid = match &step.work {
        Work::Ask { question, .. } => question,
        Work::Agent { .. } | Work::Tool { .. } | Work::Check => &step.id,
    };
    if step.title != *unsaid {
        out.put("description", step.title.as_str());
    }
    if let Work::Tool { tool, args } = &step.work {
        out.put("tool", tool.as_str());
        out.put("args", args.clone());
    }
    let dependencies = dependencies.filter_map(|at| plan.steps.get(at));
    let ids: Vec<&str> = dependencies.map(|step| step.id.as_str()).collect();
    out.put("dependsOn", ids);
    members::step(&mut out, step, DIALECT);
    out.some("status", super::step_status(step, DIALECT));
    out.record("result", &step.record, "result");
    out.into_value()
}
