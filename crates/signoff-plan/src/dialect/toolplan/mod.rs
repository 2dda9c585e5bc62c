//! JSON with tool steps.

mod step;

use super::object::{self, Format, ObjectReader, Tree};
use super::{Dialect, record};
use crate::check::too_large;
use crate::draft::{Draft, DraftStep};
use crate::json;
use crate::node::Entry;
use crate::source::{Source, text_from};

const DIALECT: Dialect = Dialect::Toolplan;

/// Whether this content is of this dialect: a JSON object whose `steps` have a tool, or nothing that
/// would make it a record.
pub(super) fn recognise(source: &Source) -> bool {
    let text = source.text();
    let text = text_from(text, source.byte_order_mark_len());
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
    let text = text_from(source.text(), start);
    let mut reader = ObjectReader::new(source, DIALECT, Format::Json);
    let mut steps = Vec::new();
    let mut orders = Vec::new();
    let mut over = None;
    let (root, problems) = json::parse_items(
        text,
        start,
        json::Comments::Tolerated,
        "steps",
        &mut |node| {
            if steps.len() < too_large::STEPS {
                let order = step::read(&mut reader, node, &mut steps);
                orders.resize(steps.len(), order);
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
    draft.steps = in_order(steps, &orders);
    draft
}

/// The steps in the order that they give themselves. One that gives none stays behind the one before it.
fn in_order(steps: Vec<DraftStep>, orders: &[Option<u64>]) -> Vec<DraftStep> {
    let mut last = 0;
    let mut keys = Vec::with_capacity(steps.len());
    for order in orders {
        last = order.unwrap_or(last);
        keys.push(last);
    }
    if keys.is_sorted() {
        return steps;
    }
    let mut keyed: Vec<_> = keys.into_iter().zip(steps).collect();
    keyed.sort_by_key(|(order, _)| *order);
    keyed.into_iter().map(|(_, step)| step).collect()
}

fn field(reader: &mut ObjectReader<'_>, entry: Entry, draft: &mut Draft) {
    match entry.key.value.as_str() {
        // Its items have been read as they came.
        "steps" => {
            reader.items(&entry.key, entry.value);
        }
        _ => reader.plan_field(None, entry, draft),
    }
}

#[cfg(test)]
mod tests;
