//! One step.

use crate::dialect::object::ObjectReader;
use crate::draft::{DraftStep, Spanned};
use crate::json;
use crate::node::{Entry, Node, NodeKind};
use crate::source::Span;

/// Reads an item of `steps`, if it is a step at all, and adds it to those before. Returns its `order`.
pub(super) fn read(
    reader: &mut ObjectReader<'_>,
    node: Node,
    steps: &mut Vec<DraftStep>,
) -> Option<u64> {
    let position = steps.len() + 1;
    let span = node.span;
    let NodeKind::Mapping(entries) = node.kind else {
        let key = Spanned::new("steps[…]".to_owned(), span);
        reader.report_wrong_kind(&key, &node, "an object");
        return None;
    };
    let first = reader.problems.len();
    let heading = entries
        .first()
        .map_or(Span::at(span.start), |entry| entry.key.span);
    // A step is large: it is filled where it stays.
    steps.push(DraftStep {
        span,
        heading,
        ..DraftStep::default()
    });
    let step = steps.last_mut()?;
    let mut order = None;
    for entry in entries {
        if entry.key.value == "order" {
            order = reader.whole(&entry.key, &entry.value);
        } else {
            field(reader, entry, step);
        }
    }
    // Without a tool they belong to nothing; the missing tool is reported once.
    if step.tool.is_none() && reader.problems.len() > first {
        step.args = None;
    }
    name(step, position);
    if reader.problems.len() > first {
        let id = step.id.as_ref();
        let id = id.map_or_else(|| format!("step-{position}"), |id| id.value.clone());
        for problem in reader.problems.iter_mut().skip(first) {
            problem.step = Some(id.clone());
        }
    }
    order
}

fn field(reader: &mut ObjectReader<'_>, entry: Entry, step: &mut DraftStep) {
    match entry.key.value.as_str() {
        "id" => step.id = reader.text(entry),
        "description" => step.title = reader.text(entry).unwrap_or_default(),
        "tool" => step.tool = reader.text(entry),
        "args" => args(reader, entry, step),
        "dependsOn" => step.depends_on = reader.texts(entry),
        _ => reader.step_field(entry, step),
    }
}

fn args(reader: &mut ObjectReader<'_>, entry: Entry, step: &mut DraftStep) {
    if entry.value.is_nothing() {
        return;
    }
    if !matches!(entry.value.kind, NodeKind::Mapping(_)) {
        reader.report_wrong_kind(&entry.key, &entry.value, "an object");
        step.args_unread = true;
        return;
    }
    step.args_spans = json::value_spans(&entry.value, reader.source);
    step.args = Some(Spanned::new(entry.value.to_json(), entry.value.span));
}

/// A step without a description is called by its question or its id: a plan may leave it out.
fn name(step: &mut DraftStep, position: usize) {
    if !step.title.value.is_empty() {
        return;
    }
    let question = step.ask.as_ref().filter(|ask| !ask.value.is_empty());
    let name = question.or(step.id.as_ref()).cloned();
    step.title = name.unwrap_or_else(|| Spanned::new(format!("step-{position}"), step.heading));
}
