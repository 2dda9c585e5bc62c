//! A plan for people: what will be done, by whom, and what decides.

use signoff_plan::model::{Plan, Step, Work};

use crate::report::style::{DIM, TITLE, harmless, paint};

/// The whole plan, one line each.
pub(crate) fn lines(plan: &Plan, statuses: &[&str]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(context) = &plan.context {
        lines.push(harmless(context.lines().next().unwrap_or_default()));
    }
    for (at, step) in plan.steps.iter().enumerate() {
        lines.push(String::new());
        let after: Vec<&str> = plan.dependency_ids(at).collect();
        lines.extend(step_lines(
            &after,
            step,
            statuses.get(at).copied().unwrap_or("pending"),
        ));
    }
    lines
}

fn step_lines(after: &[&str], step: &Step, status: &str) -> Vec<String> {
    let mut lines = vec![format!(
        "{} {} {}",
        paint(TITLE, format!("{}. {}", step.number, harmless(&step.title))),
        paint(DIM, format!("[{}]", step.id)),
        paint(DIM, status),
    )];
    let mut field = |name: &str, value: String| {
        lines.push(format!(
            "   {} {}",
            paint(DIM, format!("{name:<9}")),
            harmless(&value)
        ));
    };
    match &step.work {
        Work::Agent { role, task } => {
            field(
                "agent",
                role.clone().unwrap_or_else(|| "default".to_owned()),
            );
            field("task", first_line(task));
        }
        Work::Tool { tool, .. } => field("tool", tool.clone()),
        Work::Ask { question, .. } => field("ask", first_line(question)),
        Work::Check => field("check", "no work, only the contract".to_owned()),
    }
    match &step.contract {
        Some(contract) => {
            field("contract", first_line(&contract.command));
            let conditions: Vec<String> = contract.expect.iter().map(ToString::to_string).collect();
            field("holds if", conditions.join(", "));
        }
        None => field(
            "contract",
            "none: a person has to accept the step".to_owned(),
        ),
    }
    if !after.is_empty() {
        field("after", after.join(", "));
    }
    let retries = step.on_fail.retries;
    let policy = match retries {
        0 => step.on_fail.then.name().to_owned(),
        _ => format!("retry({retries}), then {}", step.on_fail.then.name()),
    };
    field("on fail", policy);
    lines
}

fn first_line(text: &str) -> String {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let first = lines.next().unwrap_or_default().to_owned();
    if lines.next().is_some() {
        format!("{first} …")
    } else {
        first
    }
}
