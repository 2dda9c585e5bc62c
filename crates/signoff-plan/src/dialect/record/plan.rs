//! Fields of the plan itself.

use super::index::IndexedSteps;
use super::step;
use crate::check::too_large;
use crate::dialect::object::ObjectReader;
use crate::draft::{Draft, Spanned};
use crate::node::{Entry, Node};
use crate::source::Span;

/// Reads one field of the plan.
pub(super) fn field(
    reader: &mut ObjectReader<'_>,
    entry: Entry,
    draft: &mut Draft,
    each: &mut dyn FnMut(&mut ObjectReader<'_>, Node),
) {
    match entry.key.value.as_str() {
        "task" => {
            // One of the wrong kind is reported as such, and not missing as well.
            let wrong =
                (!entry.value.is_nothing()).then(|| Spanned::new(String::new(), entry.key.span));
            draft.task = reader.text(entry).or(wrong);
        }
        "steps" => {
            let Entry { key, value } = entry;
            for node in reader.items(&key, value).unwrap_or_default() {
                each(reader, node);
            }
        }
        "metadata" => {
            let Entry { key, value } = entry;
            for member in reader.members(&key, value).unwrap_or_default() {
                reader.plan_field(Some("metadata"), member, draft);
            }
        }
        _ => reader.plan_field(None, entry, draft),
    }
}

/// Reads an item of `steps` and adds it to those before; `over` is the first that is too many.
pub(super) fn add_step(
    reader: &mut ObjectReader<'_>,
    node: Node,
    read: &mut IndexedSteps,
    over: &mut Option<Span>,
) {
    if read.steps.len() < too_large::STEPS {
        step::read(reader, node, read);
    } else {
        over.get_or_insert(node.span);
    }
}
