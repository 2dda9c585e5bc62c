//! YAML or JSON with indexed steps.

mod index;
mod plan;
mod recognise;
mod revision;
mod step;

pub(super) use self::recognise::{is_record, recognise};
pub use self::revision::{base_id, replanned_id};
use super::Dialect;
use super::object::{self, Format, ObjectReader, Tree};
use crate::check::{missing_field, too_large};
use crate::draft::Draft;
use crate::source::{Source, text_from};
use crate::yaml;

const DIALECT: Dialect = Dialect::Record;

/// Reads a plan, whatever it holds.
pub(super) fn parse(source: &Source) -> Draft {
    let mut draft = Draft::empty(DIALECT);
    let start = source.byte_order_mark_len();
    let text = text_from(source.text(), start);
    let mut steps = index::IndexedSteps::default();
    let mut over = None;
    let tree = if object::is_braced(text) {
        object::tree(source, DIALECT)
    } else {
        let mut reader = ObjectReader::new(source, DIALECT, Format::Yaml);
        let mut each = |node| plan::add_step(&mut reader, node, &mut steps, &mut over);
        let (root, problems) = yaml::parse_items(text, start, "steps", &mut each);
        draft.problems.append(&mut reader.problems);
        let format = Format::Yaml;
        Tree {
            format,
            root,
            problems,
        }
    };
    object::read_tree(source, tree, &mut draft, |reader, entry, draft| {
        plan::field(reader, entry, draft, &mut |reader, node| {
            plan::add_step(reader, node, &mut steps, &mut over);
        });
    });
    let over = over.map(|span| too_large::steps(DIALECT, span));
    draft.problems.extend(over);
    index::add_in_order(steps, &mut draft);
    // A plan must say what it is for, in one way or another.
    if draft.task.is_none() && draft.title.is_none() {
        let found = missing_field::member(DIALECT, "the plan", &["task"], draft.anchors.header);
        draft.problems.push(found);
    }
    draft
}

#[cfg(test)]
mod tests;
