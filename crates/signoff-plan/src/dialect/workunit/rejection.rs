//! Reads a section with a rejection.

use std::ops::Range;

use super::values::lines_span;
use crate::dialect::rejection;
use crate::draft::Draft;
use crate::markdown::Document;

/// Adds a rejection to those before it. The first line is its heading.
pub(super) fn read(document: &Document<'_>, lines: Range<usize>, draft: &mut Draft) {
    let Some(heading) = document.lines.get(lines.start) else {
        return;
    };
    let text = lines_span(document, &(lines.start + 1..lines.end));
    let feedback = text.map_or("", |span| document.slice(span));
    let version = version(document.slice(heading.span));
    let span = text.map_or(heading.span, |text| heading.span.to(text));
    rejection::add(version, &feedback.replace("\r\n", "\n"), span, draft);
}

fn version(heading: &str) -> Option<u64> {
    let (_, after) = heading.split_once("(v")?;
    let (number, _) = after.split_once(')')?;
    number.parse().ok()
}
