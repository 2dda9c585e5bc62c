//! Items of the numbered list: where one begins, and which lines belong to it.

use std::ops::Range;

use super::context::numbered_lines;
use crate::markdown::{Document, Line, LineKind};
use crate::source::{Span, text_from, text_up_to};

/// One item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberedItem {
    /// Its lines, the first one with the number.
    pub(crate) lines: Range<usize>,
    /// What stands behind the number.
    pub(crate) first: Span,
    /// Columns that its other lines are indented by.
    pub(crate) indent: usize,
}

/// How far a nested line must at least be indented. Two columns are what many write under `1. `.
const NESTED: usize = 2;

/// The items among some lines, and the lines that belong to none.
pub(super) fn items(
    document: &Document<'_>,
    lines: &Range<usize>,
) -> (Vec<NumberedItem>, Vec<Range<usize>>) {
    let mut items: Vec<NumberedItem> = Vec::new();
    let mut strays: Vec<Range<usize>> = Vec::new();
    let mut open = false;
    let mut lazy = false;
    for (index, line) in numbered_lines(document, lines) {
        let current = items.last().filter(|_| open).map(|item| item.indent);
        if let Some(marker) = marker(document, line)
            && current.map_or(marker.column <= 3, |indent| marker.column < indent)
        {
            items.push(NumberedItem {
                lines: index..index + 1,
                first: marker.first,
                indent: marker.indent,
            });
            (open, lazy) = (true, true);
            continue;
        }
        if document.is_blank(line) {
            lazy = false;
            continue;
        }
        let inside = open && (column(document, line) >= NESTED || lazy && goes_on(document, line));
        lazy = inside && line.kind == LineKind::Text;
        match items.last_mut().filter(|_| inside) {
            Some(item) => item.lines.end = index + 1,
            None => {
                open = false;
                match strays.last_mut() {
                    // Blank lines between strays are theirs; an item between them is not.
                    Some(stray) if items.last().is_none_or(|item| item.lines.end <= stray.end) => {
                        stray.end = index + 1;
                    }
                    _ => strays.push(index..index + 1),
                }
            }
        }
    }
    (items, strays)
}

/// Whether a line begins an item of a numbered list.
pub(super) fn begins(document: &Document<'_>, line: usize) -> bool {
    let line = document.lines.get(line);
    line.is_some_and(|line| marker(document, line).is_some_and(|marker| marker.column <= 3))
}

struct Marker {
    column: usize,
    indent: usize,
    first: Span,
}

fn marker(document: &Document<'_>, line: &Line) -> Option<Marker> {
    let text = document.slice(line.span);
    let rest = text.trim_start_matches([' ', '\t']);
    let column = columns(text.get(..text.len() - rest.len())?);
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = rest.get(digits..)?.strip_prefix(['.', ')'])?;
    let content = after.trim_start_matches([' ', '\t']);
    let spaces = after.len() - content.len();
    let separated = spaces > 0 || content.is_empty();
    if !(1..=9).contains(&digits) || !separated || !is_open(document, line, content) {
        return None;
    }
    // Without text, or with code behind it, one space counts.
    let spaces = if content.is_empty() || spaces > 4 {
        1
    } else {
        spaces
    };
    let start = line.span.end - content.len();
    Some(Marker {
        column,
        indent: column + digits + 1 + spaces,
        first: document.trim_span(Span::new(start, line.span.end)),
    })
}

/// Whether a line is text, or a block or comment begins on it behind the number.
fn is_open(document: &Document<'_>, line: &Line, content: &str) -> bool {
    match line.kind {
        LineKind::Text => true,
        LineKind::Fence(index) => {
            let fence = document.fences.get(index);
            fence.is_some_and(|fence| fence.span.start > line.span.start)
                && (content.starts_with("```") || content.starts_with("~~~"))
        }
        LineKind::Comment => content.starts_with("<!--"),
    }
}

/// The column that a line, or the block it is part of, begins in.
fn column(document: &Document<'_>, line: &Line) -> usize {
    let fence = match line.kind {
        LineKind::Fence(index) => document.fences.get(index),
        LineKind::Text | LineKind::Comment => None,
    };
    match fence {
        Some(fence) => {
            let opening = document
                .lines
                .partition_point(|line| line.next <= fence.span.start);
            let line = document.lines.get(opening);
            line.map_or(0, |line| {
                columns(document.slice(Span::new(line.span.start, fence.span.start)))
            })
        }
        None => indentation(document, line.span),
    }
}

/// Whether text without indentation goes on with the paragraph before it.
fn goes_on(document: &Document<'_>, line: &Line) -> bool {
    let text = document.slice(line.span).trim_start();
    line.kind == LineKind::Text
        && document.heading(line).is_none()
        && !document.is_separator(line)
        && marker_len(text).is_none()
        && !text.starts_with('>')
}

/// Columns that a line is indented by.
pub(super) fn indentation(document: &Document<'_>, span: Span) -> usize {
    let text = document.slice(span);
    let rest = text.trim_start_matches([' ', '\t']);
    columns(text_up_to(text, text.len() - rest.len()))
}

fn columns(text: &str) -> usize {
    text.chars().fold(0, |column, c| match c {
        '\t' => column + 4 - column % 4,
        _ => column + 1,
    })
}

/// A line without up to so many columns of its indentation.
pub(super) fn dedent(text: &str, columns: usize) -> &str {
    let mut column = 0;
    for (at, c) in text.char_indices() {
        let width = match c {
            ' ' => 1,
            '\t' => 4 - column % 4,
            _ => return text_from(text, at),
        };
        if column + width > columns {
            return text_from(text, at);
        }
        column += width;
    }
    ""
}

/// Length of the list marker that a text begins with.
pub(super) fn marker_len(text: &str) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = match digits {
        0 => text.strip_prefix(['-', '*', '+'])?,
        1..=9 => text.get(digits..)?.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    if after.is_empty() {
        return Some(text.len());
    }
    let item = after.strip_prefix([' ', '\t'])?.trim_start();
    Some(text.len() - item.len())
}
