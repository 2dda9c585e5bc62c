//! JSON with tool steps (seed 001).

mod step;

use serde_json::Value;

use super::object::{self, Format, PLAN_FIELDS, Reader, Tree};
use super::{Dialect, record};
use crate::check::too_large;
use crate::draft::{Draft, Spanned};
use crate::json;
use crate::source::Source;
use crate::yaml::Entry;

const DIALECT: Dialect = Dialect::Toolplan;

/// The fields of a stored plan; the bare reply of a planner has only the last two.
const FIELDS: [&str; 6] = [
    "id",
    "taskId",
    "version",
    "createdAt",
    "steps",
    "estimatedDuration",
];

/// Whether this content is of this dialect: a JSON object whose `steps` have a tool, or nothing that
/// would make it a record.
pub(super) fn recognise(source: &Source) -> bool {
    let text = source.text();
    let text = text.get(source.byte_order_mark_len()..).unwrap_or_default();
    let Some(outline) = json::outline(text) else {
        return false;
    };
    let calls = |key: &&str| matches!(*key, "tool" | "args");
    outline.steps && (outline.step_keys.iter().any(calls) || !record::is_record(&outline))
}

/// Reads a plan, whatever it holds.
pub(super) fn parse(source: &Source) -> Draft {
    let mut draft = Draft::empty(DIALECT);
    let start = source.byte_order_mark_len();
    let text = source.text().get(start..).unwrap_or_default();
    let mut reader = Reader::new(source, DIALECT, Format::Json);
    let mut steps = Vec::new();
    let mut over = None;
    let (root, problems) = json::parse_items(
        text,
        start,
        json::Comments::Tolerated,
        "steps",
        &mut |node| {
            if steps.len() < too_large::STEPS {
                step::read(&mut reader, node, &mut steps);
            } else {
                over.get_or_insert(node.span);
            }
        },
    );
    draft.problems.append(&mut reader.problems);
    draft
        .problems
        .extend(over.map(|span| too_large::steps(DIALECT, span)));
    let tree = Tree {
        format: Format::Json,
        root,
        problems,
    };
    object::read_tree(source, tree, &mut draft, field);
    draft.steps = steps;
    draft
}

fn field(reader: &mut Reader<'_>, entry: Entry, draft: &mut Draft) {
    let Some(entry) = reader.plan_field(entry, draft) else {
        return;
    };
    match entry.key.value.as_str() {
        "id" => draft.id = reader.text(entry),
        "taskId" => keep(draft, "task_id", reader.text(entry)),
        "version" => draft.version = reader.word(entry),
        "createdAt" => keep(draft, "created_at", reader.text(entry)),
        "estimatedDuration" => match reader.value(&entry) {
            Some(seconds) if seconds.value.is_number() => {
                draft.record.push(("estimated_duration", seconds));
            }
            Some(_) => reader.wrong(&entry.key, &entry.value, "a number of seconds"),
            None => {}
        },
        // Its items have been read as they came.
        "steps" => {
            reader.items(&entry.key, entry.value);
        }
        _ => reader.unknown(&entry.key, "a plan", &[&FIELDS, &PLAN_FIELDS]),
    }
}

fn keep(draft: &mut Draft, name: &'static str, text: Option<Spanned<String>>) {
    draft
        .record
        .extend(text.map(|text| (name, text.map(Value::from))));
}

/// Every name, by what it is a field of.
#[cfg(test)]
pub(super) fn names() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut names = object::names();
    names.push(("plan", [&FIELDS[..], &PLAN_FIELDS].concat()));
    names.push(("step", [&step::FIELDS[..], &object::STEP_FIELDS].concat()));
    names
}

#[cfg(test)]
mod tests;
