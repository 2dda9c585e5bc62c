//! `## Context`, `## Risks` and the rejections.

use serde_json::Value;

use super::step::{is_closed, longest_run, one_line, push};
use crate::dialect::proposal::parts_the_file;
use crate::dialect::rejection::{escape_feedback, heading};
use crate::model::Plan;

/// Adds what to know. Prose comes last: a heading in it may end the section.
pub(super) fn context(out: &mut String, plan: &Plan) {
    let outputs = plan.record.get("tool_outputs");
    let artifacts = plan.record.get("artifacts");
    if plan.context.is_none() && outputs.is_none() && artifacts.is_none() {
        return;
    }
    out.push_str("\n## Context\n");
    if let Some(outputs) = outputs {
        out.push_str("\n### Tool Outputs\n");
        json(out, outputs);
    }
    if let Some(artifacts) = artifacts {
        out.push_str("\n### Artifacts\n");
        match one_line_items(artifacts) {
            Some(items) => items.iter().for_each(|item| push(out, &["- ", item, "\n"])),
            None => json(out, artifacts),
        }
    }
    if let Some(context) = &plan.context {
        if outputs.is_some() || artifacts.is_some() {
            out.push_str("\n### Notes\n");
        }
        if is_closed(context) && !parts_the_file(context) {
            out.push_str(context);
        } else {
            // Nothing in it can be taken for another section then.
            let fence = "`".repeat(longest_run(context).max(2) + 1);
            push(out, &[&fence, "\n", context, "\n", &fence]);
        }
        out.push('\n');
    }
}

fn json(out: &mut String, value: &Value) {
    push(out, &["```json\n", &format!("{value:#}"), "\n```\n"]);
}

/// The items of a list that can stand on a line each.
fn one_line_items(value: &Value) -> Option<Vec<&str>> {
    let items = value.as_array().filter(|items| !items.is_empty())?;
    let plain = |text: &&str| !text.is_empty() && text.trim() == *text && one_line(text) == *text;
    items
        .iter()
        .map(|item| item.as_str().filter(plain))
        .collect()
}

/// Adds what may go wrong.
pub(super) fn risks(out: &mut String, plan: &Plan) {
    if plan.risks.is_empty() {
        return;
    }
    out.push_str("\n## Risks\n");
    for risk in &plan.risks {
        push(out, &["- ", &one_line(risk), "\n"]);
    }
}

/// Adds the rejections, oldest first.
pub(super) fn rejections(out: &mut String, plan: &Plan) {
    let rejections = plan.record.get("rejections").and_then(Value::as_array);
    for rejection in rejections.into_iter().flatten() {
        let feedback = rejection.get("feedback").and_then(Value::as_str);
        let version = rejection.get("version").and_then(Value::as_u64);
        let text = escape_feedback(feedback.unwrap_or_default());
        push(out, &["\n", &heading(version), "\n", &text, "\n"]);
    }
}
