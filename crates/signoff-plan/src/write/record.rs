//! YAML with indexed steps (seed 000).

use serde_json::Value;

use super::Written;
use super::members::{self, Members};
use super::readback::{self, Reasons};
use crate::model::{Depends, Plan, Step, Work};
use crate::spelling::Dialect;
use crate::yaml::emit;

const DIALECT: Dialect = Dialect::Record;

const REASONS: Reasons = Reasons {
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

pub(super) fn write(plan: &Plan) -> Written {
    let text = emit::document(&value(plan));
    readback::written(plan, text, DIALECT, &REASONS)
}

fn value(plan: &Plan) -> Value {
    let record = &plan.record;
    let mut out = Members::default();
    out.some("id", plan.id.as_deref());
    out.some("title", plan.title.as_deref());
    out.some("task", plan.task.as_deref());
    out.some("status", super::plan_status(plan, DIALECT));
    out.some("version", plan.version);
    out.some("previousPlanId", plan.previous.as_deref());
    out.record("currentStepIndex", record, "current_step_index");
    out.record("createdAt", record, "created_at");
    out.record("updatedAt", record, "updated_at");
    out.record("createdBy", record, "created_by");
    members::plan(&mut out, plan);
    let mut metadata = Members::default();
    metadata.record("complexity", record, "complexity");
    metadata.record("tags", record, "tags");
    metadata.list("constraints", &plan.constraints);
    metadata.record("informedByMemories", record, "informed_by");
    if !metadata.is_empty() {
        out.put("metadata", metadata.into_value());
    }
    let steps = plan.steps.iter().enumerate();
    out.put(
        "steps",
        steps
            .map(|(at, step)| step_value(plan, at, step))
            .collect::<Vec<_>>(),
    );
    out.into_value()
}

fn step_value(plan: &Plan, at: usize, step: &Step) -> Value {
    let mut out = Members::default();
    out.put("index", at);
    if step.id != format!("step-{}", at + 1) {
        out.put("id", step.id.as_str());
    }
    let (task, role) = match &step.work {
        Work::Agent { role, task } => (Some(task.as_str()), role.as_deref()),
        Work::Ask { .. } | Work::Tool { .. } => (Some(step.title.as_str()), None),
        Work::Check => (None, None),
    };
    if task != Some(step.title.as_str()) {
        out.put("title", step.title.as_str());
    }
    out.some("description", task);
    out.some("suggestedAgent", role);
    out.some("status", super::step_status(step, DIALECT));
    out.some("instructions", step.instructions.as_deref());
    out.list("acceptanceCriteria", &step.acceptance);
    if step.depends_on != Depends::AllBefore {
        let indexes: Vec<Value> = plan.dependencies(at).map(Value::from).collect();
        out.put("dependsOn", indexes);
    }
    members::step(&mut out, step, DIALECT);
    for (key, name) in [
        ("executedBy", "executed_by"),
        ("startedAt", "started_at"),
        ("completedAt", "completed_at"),
        ("output", "output"),
        ("error", "error"),
        ("affectedFiles", "affected_files"),
    ] {
        out.record(key, &step.record, name);
    }
    out.into_value()
}
