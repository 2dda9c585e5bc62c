//! The spellings of a plan. Each recognises itself, reads text into a [`Draft`] and never fails at it.

mod block;
#[cfg(test)]
mod documented;
mod header;
mod narrative;
pub(crate) mod object;
mod opening;
pub(crate) mod proposal;
mod record;
pub(crate) mod rejection;
pub(crate) mod thread;
mod toolplan;
pub(crate) mod workunit;

pub use self::record::{base_id, replanned_id};
use crate::check::{not_utf8, too_large};
use crate::draft::Draft;
use crate::source::Source;
pub use crate::spelling::Dialect;

/// Every name that a dialect knows, by what it is a field of.
#[cfg(test)]
pub(crate) fn names(dialect: Dialect) -> Vec<(&'static str, Vec<&'static str>)> {
    match dialect {
        Dialect::Workunit => workunit::names(),
        Dialect::Thread => thread::names(),
        Dialect::Proposal => proposal::names(),
        Dialect::Record | Dialect::Toolplan => object::names(dialect),
    }
}

/// Whether a content is of a dialect.
type Recognise = fn(&Source) -> bool;

/// The dialect of this content, if it is a plan at all.
pub fn recognise(source: &Source) -> Option<Dialect> {
    // From the most to the least distinctive.
    let recognisers: [(Dialect, Recognise); 5] = [
        (Dialect::Thread, thread::recognise),
        (Dialect::Toolplan, toolplan::recognise),
        (Dialect::Record, record::recognise),
        (Dialect::Proposal, proposal::recognise),
        (Dialect::Workunit, workunit::recognise),
    ];
    recognisers
        .into_iter()
        .find_map(|(dialect, recognises)| recognises(source).then_some(dialect))
}

/// Recognises the dialect from the content and reads it. What is nothing we know is read as what its
/// name or its first sign promises, else as the native dialect: its problems say what is missing.
pub fn parse(source: &Source) -> Draft {
    let dialect = recognise(source).unwrap_or_else(|| likely_dialect(source));
    parse_as(source, dialect)
}

/// The dialect that a content of no dialect was most likely meant to be.
fn likely_dialect(source: &Source) -> Dialect {
    let ending = source.name().rsplit_once('.').map(|(_, ending)| ending);
    let text = source.text().get(source.byte_order_mark_len()..);
    let text = text.unwrap_or_default().trim_ascii_start();
    match ending.map(str::to_ascii_lowercase).as_deref() {
        Some("json") => Dialect::Toolplan,
        // Frontmatter may come in a file of any name.
        Some("yaml" | "yml") if !text.starts_with("---") => Dialect::Record,
        _ if text.starts_with(['{', '[']) => Dialect::Toolplan,
        _ => Dialect::Workunit,
    }
}

/// Reads a plan in a given dialect.
pub fn parse_as(source: &Source, dialect: Dialect) -> Draft {
    if source.bytes().len() > too_large::file_bytes(dialect) {
        let mut draft = Draft::empty(dialect);
        draft
            .problems
            .push(too_large::file(dialect, source.bytes().len()));
        return draft;
    }
    let mut draft = match dialect {
        Dialect::Workunit => workunit::parse(source),
        Dialect::Thread => thread::parse(source),
        Dialect::Proposal => proposal::parse(source),
        Dialect::Record => record::parse(source),
        Dialect::Toolplan => toolplan::parse(source),
    };
    if let Some(offset) = source.first_invalid_byte() {
        draft.problems.push(not_utf8::at(dialect, offset));
    }
    too_large::limit_paths(&mut draft);
    crate::diagnostic::sort(&mut draft.problems);
    draft
}
