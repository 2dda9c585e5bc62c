//! One markdown file with a numbered list of steps.
//!
//! The text is written as well as it can be and read again: what comes back otherwise is a loss.

mod body;
pub(crate) mod step;

use serde_json::Value;

use super::readback::{self, OmissionReasons};
use super::{WrittenPlan, yaml};
use crate::field::plan_value;
use crate::model::{PLAN_RECORD, Plan};
use crate::source::Source;
use crate::spelling::Dialect;
use crate::spelling::proposal::PLAN_NAMES;

const DIALECT: Dialect = Dialect::Proposal;

pub(super) fn write(plan: &Plan) -> WrittenPlan {
    let mut text = frontmatter(plan);
    text.push_str("\n## Steps\n");
    let tools = plan.tools.as_deref().unwrap_or_default();
    for (at, written) in plan.steps.iter().enumerate() {
        step::write(&mut text, at + 1, written, tools);
    }
    body::context(&mut text, plan);
    body::risks(&mut text, plan);
    body::rejections(&mut text, plan);
    let source = Source::new("", text.clone().into_bytes());
    let back = readback::read(&source, DIALECT);
    let mut losses = readback::losses(plan, &back, &REASONS);
    readback::say_checks(plan, &mut losses);
    WrittenPlan {
        losses,
        files: vec![(String::new(), text)],
    }
}

fn frontmatter(plan: &Plan) -> String {
    let mut out = "---\n".to_owned();
    for key in DIALECT.plan_keys() {
        let name = key.field.unwrap_or_default();
        match (name, field(plan, name)) {
            // As other tools write it.
            ("title", Value::String(title)) => {
                step::push(&mut out, &["title: ", &yaml::text(&title), "\n"]);
            }
            (_, Value::Null) => {}
            (_, value) => out.push_str(&yaml::entry(key.key, &value, "\n")),
        }
    }
    for (name, value) in other_fields(plan) {
        out.push_str(&yaml::entry(name, value, "\n"));
    }
    out + "---\n"
}

/// The value of a field of the frontmatter; `null` = it has none.
fn field(plan: &Plan, name: &str) -> Value {
    let value = plan_value(plan, name).unwrap_or_default();
    match name {
        "status" => super::plan_status(plan, DIALECT).into(),
        "tools" if value.is_null() => Value::Array(Vec::new()),
        // Nobody in particular has to sign.
        "approval_required_from" if value == Value::Array(Vec::new()) => Value::Null,
        // The dialect keeps nothing but text.
        name if PLAN_RECORD.contains(&name) && !value.is_string() => Value::Null,
        _ => value,
    }
}

/// Fields of older files, but for those that would make the file something else.
fn other_fields(plan: &Plan) -> impl Iterator<Item = (&str, &Value)> {
    let fields = plan.record.get("other").and_then(Value::as_object);
    let fields = fields.into_iter().flatten();
    fields
        .map(|(name, value)| (name.as_str(), value))
        .filter(|(name, _)| !PLAN_NAMES.contains(name) && *name != "type")
}

const REASONS: OmissionReasons = OmissionReasons {
    plan: why_plan,
    step: why_step,
};

const MISREAD: &str = "in a proposal it would be read differently";
const NO_PLACE: &str = "a proposal has no place for it";

fn why_plan(field: &str) -> &'static str {
    match field {
        "tools" => "a proposal allows exactly the tools that it lists, and none if it lists none",
        "status" => "a proposal has no such status",
        "context" | "risks" | "tool_outputs" | "artifacts" | "rejections" | "other" => MISREAD,
        name if PLAN_NAMES.contains(&name) => MISREAD,
        _ => NO_PLACE,
    }
}

fn why_step(field: &str) -> &'static str {
    match field {
        "id" => "steps of a proposal have numbers and no names",
        "depends_on" => "steps of a proposal wait for every step before them",
        "role" => "steps of a proposal are done by the role `executor`",
        "tool" | "args" | "question" | "choices" => {
            "steps of a proposal are done by an agent; it is asked to do what the title says"
        }
        "status" => {
            "marks of steps have no place in a proposal: what was done is kept by the store"
        }
        "contract.shell" => "a contract of a proposal is for `bash` or `sh`",
        "title" | "task" | "hint" | "when" | "on_fail" | "contract.command" | "contract.expect" => {
            MISREAD
        }
        _ => NO_PLACE,
    }
}
