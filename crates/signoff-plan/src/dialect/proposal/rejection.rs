//! Reads a section with a rejection.

use std::ops::Range;

use super::context::text_of;
use crate::dialect::rejection;
use crate::draft::Draft;
use crate::markdown::Document;
use crate::source::Span;

/// Adds a rejection to those before it.
pub(super) fn read(
    document: &Document<'_>,
    version: Option<u64>,
    lines: Range<usize>,
    draft: &mut Draft,
) {
    let heading = lines
        .start
        .checked_sub(1)
        .and_then(|at| document.lines.get(at));
    let heading = heading.map_or(Span::default(), |line| line.span);
    let text = text_of(document, &lines);
    let span = text.as_ref().map_or(heading, |text| heading.to(text.span));
    let text = text.map_or_else(String::new, |text| text.value);
    rejection::add(version, &text, span, draft);
}
