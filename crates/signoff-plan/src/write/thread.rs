//! A directory: `plan.md` and `tasks/NN-slug.md`.
//!
//! The files are written as well as they can be and read again: what comes back otherwise is a loss.

use std::collections::BTreeSet;

use serde_json::Value;

use super::readback::{self, OmissionReasons};
use super::{Loss, WrittenPlan, members, yaml};
use crate::check::bad_filename::{is_kebab_case, kebab_case};
use crate::dialect::thread::{PLAN_FILE, TASKS};
use crate::model::{Condition, Contract, Plan, Step, Work};
use crate::source::Source;
use crate::spelling::Dialect;
use crate::spelling::thread::STEP_NAMES;

const DIALECT: Dialect = Dialect::Thread;

/// How many files two digits can number.
const MOST: usize = 100;

pub(super) fn write(plan: &Plan) -> WrittenPlan {
    let ids = ids(plan);
    let title = yaml::text(plan.title.as_deref().unwrap_or(plan.display_title()));
    let context = plan.context.as_deref().unwrap_or_default();
    let body = if context.is_empty() {
        String::new()
    } else {
        format!("\n{context}\n")
    };
    let mut files = vec![(
        PLAN_FILE.to_owned(),
        format!("---\ntitle: {title}\n---\n{body}"),
    )];
    // From 01 on, as people count, unless that is one too few.
    let first = usize::from(plan.steps.len() < MOST);
    for (at, (step, id)) in plan.steps.iter().zip(&ids).enumerate().take(MOST) {
        let name = format!("{TASKS}{:02}-{id}.md", at + first);
        files.push((name, task(plan, at, step, &ids)));
    }
    let losses = losses(plan, &files);
    WrittenPlan { files, losses }
}

fn losses(plan: &Plan, files: &[(String, String)]) -> Vec<Loss> {
    let files = files.iter();
    let files = files.map(|(name, text)| (name.clone(), text.clone().into_bytes()));
    let source = Source::directory("", files.collect());
    let back = readback::read(&source, DIALECT);
    let mut losses = readback::losses(plan, &back, &REASONS);
    readback::say_checks(plan, &mut losses);
    losses
}

/// An id of the kind that tasks have for every step, each once.
fn ids(plan: &Plan) -> Vec<String> {
    let good = plan.steps.iter().map(|step| step.id.as_str());
    let mut taken: BTreeSet<String> = good
        .filter(|id| is_kebab_case(id))
        .map(str::to_owned)
        .collect();
    let mut ids = Vec::new();
    for step in plan.steps.iter().take(MOST) {
        if is_kebab_case(&step.id) {
            ids.push(step.id.clone());
            continue;
        }
        let base = Some(kebab_case(&step.id)).filter(|id| !id.is_empty());
        let base = base.unwrap_or_else(|| format!("step-{}", step.number));
        let numbered = (2..).map(|number| format!("{base}-{number}"));
        let mut names = std::iter::once(base.clone()).chain(numbered);
        let id = names.find(|name| taken.insert(name.clone()));
        ids.push(id.unwrap_or(base));
    }
    ids
}

fn task(plan: &Plan, at: usize, step: &Step, ids: &[String]) -> String {
    let id = ids.get(at).map_or("", String::as_str);
    let mut out = "---\n".to_owned();
    let mut put = |name: &str, value: Value| {
        let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !empty || name == "tools" && value.is_array() {
            out.push_str(&yaml::entry(name, &value, "\n"));
        }
    };
    for key in DIALECT.step_keys() {
        let name = key.field.unwrap_or_default();
        let value = match name {
            "id" => Value::from(id),
            "title" if step.title == id => Value::Null,
            "depends_on" => {
                let dependencies = plan.dependencies(at).filter_map(|at| ids.get(at));
                dependencies.map(String::as_str).collect()
            }
            // A block of its own, behind the others.
            name if name.starts_with("contract.") => Value::Null,
            name => members::step(plan, at, name, DIALECT)
                .filter(|value| !value.is_object())
                .unwrap_or_default(),
        };
        put(key.key, value);
    }
    if let Some(contract) = &step.contract {
        out.push_str(&self::contract(contract));
    }
    format!("{out}---\n\n{}\n", body(step))
}

fn contract(contract: &Contract) -> String {
    let mut out = yaml::block_entry("contract", &contract.command, "\n");
    if contract.expect != [Condition::DEFAULT] {
        let conditions = contract.expect.iter().map(ToString::to_string);
        out.push_str(&yaml::entry("expect", &conditions.collect(), "\n"));
    }
    out
}

/// The task; a title or a question where there is none, because a body must not be empty.
fn body(step: &Step) -> &str {
    match &step.work {
        Work::Agent { task, .. } if !task.trim().is_empty() => task,
        Work::Ask { question, .. } => question,
        Work::Agent { .. } | Work::Tool { .. } | Work::Check => &step.title,
    }
}

const REASONS: OmissionReasons = OmissionReasons {
    plan: why_plan,
    step: why_step,
};

const MISREAD: &str = "in a thread it would be read differently";
const NO_PLACE: &str = "a thread has no place for it";
const MARKS: &str = "a thread holds no marks: what was done is kept by the store";

fn why_plan(field: &str) -> &'static str {
    match field {
        "title" => "a thread has a title that is not empty",
        "context" => "the body of `plan.md` begins and ends with text",
        "status" => MARKS,
        _ => NO_PLACE,
    }
}

fn why_step(field: &str) -> &'static str {
    match field {
        "id" => "a thread has at most 100 tasks, with ids of lower-case words joined by `-`",
        "status" => MARKS,
        "tool" | "args" | "question" | "choices" => {
            "tasks of a thread are done by an agent; the body says what was to be done"
        }
        "task" => "the body of a task begins and ends with text",
        "role" | "contract.command" | "contract.expect" => MISREAD,
        name if STEP_NAMES.contains(&name) => MISREAD,
        _ => NO_PLACE,
    }
}
