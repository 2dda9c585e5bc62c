//! YAML or JSON with indexed steps (seed 000).

mod index;
mod plan;
mod recognise;
mod revision;
mod step;

pub(super) use self::recognise::{is_record, recognise};
pub use self::revision::{base_id, replanned_id};
use super::{Dialect, object};
use crate::check::missing_field;
use crate::draft::Draft;
use crate::source::Source;

const DIALECT: Dialect = Dialect::Record;

/// Reads a plan, whatever it holds.
pub(super) fn parse(source: &Source) -> Draft {
    let mut draft = Draft::empty(DIALECT);
    let mut steps = Vec::new();
    object::read(source, &mut draft, |reader, entry, draft| {
        plan::field(reader, entry, draft, &mut steps);
    });
    index::place(steps, &mut draft);
    // A plan must say what it is for, in one way or another.
    if draft.task.is_none() && draft.title.is_none() {
        let found = missing_field::member(DIALECT, "the plan", &["task"], draft.anchors.header);
        draft.problems.push(found);
    }
    draft
}

/// Every name, by what it is a field of.
#[cfg(test)]
pub(super) fn names() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut names = object::names();
    names.push(("plan", [&plan::FIELDS[..], &object::PLAN_FIELDS].concat()));
    names.push(("metadata", plan::METADATA.to_vec()));
    names.push(("step", [&step::FIELDS[..], &object::STEP_FIELDS].concat()));
    names
}

#[cfg(test)]
mod tests;
