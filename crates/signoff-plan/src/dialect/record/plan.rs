//! Fields of the plan itself.

use super::index::Steps;
use super::step;
use crate::check::too_large;
use crate::dialect::object::{PLAN_FIELDS, Reader};
use crate::draft::{Draft, Spanned};
use crate::source::Span;
use crate::yaml::{Entry, Node};

pub(super) const FIELDS: [&str; 11] = [
    "id",
    "task",
    "status",
    "steps",
    "currentStepIndex",
    "createdAt",
    "updatedAt",
    "createdBy",
    "version",
    "previousPlanId",
    "metadata",
];

pub(super) const METADATA: [&str; 4] = ["complexity", "tags", "constraints", "informedByMemories"];

/// Reads one field of the plan.
pub(super) fn field(
    reader: &mut Reader<'_>,
    entry: Entry,
    draft: &mut Draft,
    each: &mut dyn FnMut(&mut Reader<'_>, Node),
) {
    let Some(entry) = reader.plan_field(entry, draft) else {
        return;
    };
    match entry.key.value.as_str() {
        "id" => draft.id = reader.text(entry),
        "task" => {
            // One of the wrong kind is reported as such, and not missing as well.
            let wrong =
                (!entry.value.is_nothing()).then(|| Spanned::new(String::new(), entry.key.span));
            draft.task = reader.text(entry).or(wrong);
        }
        "status" => draft.status = reader.text(entry),
        "steps" => {
            let Entry { key, value } = entry;
            for node in reader.items(&key, value).unwrap_or_default() {
                each(reader, node);
            }
        }
        "currentStepIndex" => {
            if let Some(index) = reader.whole(&entry.key, &entry.value) {
                keep(draft, "current_step_index", index, &entry);
            }
        }
        "createdAt" => text(reader, "created_at", entry, draft),
        "updatedAt" => text(reader, "updated_at", entry, draft),
        "createdBy" => text(reader, "created_by", entry, draft),
        "version" => draft.version = reader.word(entry),
        "previousPlanId" => draft.previous = reader.text(entry),
        "metadata" => {
            let Entry { key, value } = entry;
            for member in reader.members(&key, value).unwrap_or_default() {
                metadata(reader, member, draft);
            }
        }
        _ => reader.unknown(&entry.key, "a plan", &[&FIELDS, &PLAN_FIELDS]),
    }
}

fn metadata(reader: &mut Reader<'_>, entry: Entry, draft: &mut Draft) {
    match entry.key.value.as_str() {
        "complexity" => match reader.value(&entry) {
            Some(number) if number.value.is_number() => draft.record.push(("complexity", number)),
            Some(_) => reader.wrong(&entry.key, &entry.value, "a number"),
            None => {}
        },
        "constraints" => draft.constraints = reader.texts(entry).unwrap_or_default(),
        "tags" => list(reader, "tags", entry, draft),
        "informedByMemories" => list(reader, "informed_by", entry, draft),
        _ => reader.unknown(&entry.key, "`metadata`", &[&METADATA]),
    }
}

fn keep(draft: &mut Draft, name: &'static str, value: impl Into<serde_json::Value>, entry: &Entry) {
    let value = Spanned::new(value.into(), entry.value.span);
    draft.record.push((name, value));
}

fn text(reader: &mut Reader<'_>, name: &'static str, entry: Entry, draft: &mut Draft) {
    if let Some(text) = reader.text(entry) {
        draft.record.push((name, text.map(serde_json::Value::from)));
    }
}

fn list(reader: &mut Reader<'_>, name: &'static str, entry: Entry, draft: &mut Draft) {
    let span = entry.value.span;
    if let Some(items) = reader.texts(entry) {
        let items = items.into_iter().map(|item| item.value).collect();
        draft.record.push((name, Spanned::new(items, span)));
    }
}

/// Reads an item of `steps` and adds it to those before; `over` is the first that is too many.
pub(super) fn add_step(
    reader: &mut Reader<'_>,
    node: Node,
    read: &mut Steps,
    over: &mut Option<Span>,
) {
    if read.steps.len() < too_large::STEPS {
        step::read(reader, node, read);
    } else {
        over.get_or_insert(node.span);
    }
}
