//! Reads the value of a field: one value, a list, free markdown, or a fenced block.

use std::ops::Range;

use super::DIALECT;
use super::fields::LabelledField;
use super::labels::{bare_label, label};
use super::step::SCOPE;
use crate::check::bad_value;
use crate::diagnostic::Diagnostic;
use crate::draft::Spanned;
use crate::markdown::{Document, Fence, Line, LineKind};
use crate::source::Span;

/// A value, and the lines of the field that were not part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldValue<T> {
    pub(super) value: T,
    pub(super) left_over: Vec<usize>,
}

/// One value: the label's line, or the first paragraph under it.
pub(super) fn scalar(
    document: &Document<'_>,
    field: &LabelledField,
) -> FieldValue<Option<Spanned<String>>> {
    let mut parts: Vec<Span> = Vec::new();
    let mut left_over = Vec::new();
    let mut ended = false;
    parts.extend(Some(field.inline).filter(|span| !span.is_empty()));
    for (index, line) in numbered_lines(document, &field.lines) {
        match line.kind {
            LineKind::Comment => continue,
            LineKind::Fence(_) => ended = true,
            LineKind::Text if document.is_separator(line) => {
                ended |= !parts.is_empty();
                continue;
            }
            LineKind::Text => ended |= is_label(document, line),
        }
        if ended {
            left_over.push(index);
        } else {
            parts.push(document.trim_span(line.span));
        }
    }
    let value = join_paragraph(document, &parts).map(plain_value);
    FieldValue { value, left_over }
}

/// Whether a line is a field, or was meant to be one.
fn is_label(document: &Document<'_>, line: &Line) -> bool {
    label(document, line).is_some() || bare_label(document, line, SCOPE.names).is_some()
}

/// A list: items under the label, or names on its line where `commas` separate them.
pub(super) fn list(
    document: &Document<'_>,
    field: &LabelledField,
    commas: bool,
) -> FieldValue<Vec<Spanned<String>>> {
    let mut items: Vec<Vec<Span>> = Vec::new();
    let mut left_over = Vec::new();
    let mut bare: Vec<Span> = Some(field.inline)
        .filter(|span| !span.is_empty())
        .into_iter()
        .collect();
    let mut after_blank = false;
    for (index, line) in numbered_lines(document, &field.lines) {
        match line.kind {
            LineKind::Comment => continue,
            LineKind::Fence(_) => {
                left_over.push(index);
                continue;
            }
            LineKind::Text => {}
        }
        if document.is_separator(line) {
            after_blank = true;
            continue;
        }
        let text = document.trim_span(line.span);
        let indented = text.start > line.span.start;
        if let Some(marker) = marker_len(document.slice(text)) {
            items.push(vec![
                document.trim_span(Span::new(text.start + marker, text.end)),
            ]);
        } else if is_label(document, line) || (after_blank && !indented) {
            left_over.push(index);
        } else if let Some(item) = items.last_mut() {
            item.push(text);
        } else {
            bare.push(text);
        }
        after_blank = false;
    }
    let mut value = bare_items(document, &bare, commas);
    value.extend(
        items
            .iter()
            .filter_map(|item| join_paragraph(document, item))
            .map(plain_value),
    );
    value.retain(|item| !item.value.is_empty());
    FieldValue { value, left_over }
}

/// Language of a block that is the text of a field rather than part of it.
pub(crate) const VERBATIM: &str = "verbatim";

/// Free markdown up to the next label, byte for byte but for line ends.
///
/// A field that is one block in the language [`VERBATIM`] has the text inside it: what would be
/// read as a label, a heading or a fence otherwise.
pub(super) fn markdown(document: &Document<'_>, field: &LabelledField) -> Option<Spanned<String>> {
    if let Some(text) = verbatim(document, field) {
        return Some(text);
    }
    let body = lines_span(document, &field.lines);
    let span = match (field.inline.is_empty(), body) {
        (true, body) => body?,
        (false, None) => field.inline,
        (false, Some(body)) => Span::new(field.inline.start, body.end),
    };
    Some(Spanned::new(
        document.slice(span).replace("\r\n", "\n"),
        span,
    ))
}

fn verbatim(document: &Document<'_>, field: &LabelledField) -> Option<Spanned<String>> {
    let (blocks, others) = fences(document, field);
    let ([block], []) = (blocks.as_slice(), others.as_slice()) else {
        return None;
    };
    let language = block.language.as_ref().map(|word| word.value.as_str());
    let first =
        numbered_lines(document, &field.lines).find(|(_, line)| !document.is_separator(line));
    let alone = first.is_some_and(|(_, line)| line.span.start == block.span.start);
    if language != Some(VERBATIM) || !field.inline.is_empty() || !alone {
        return None;
    }
    let text = &block.content.text;
    let text = text.strip_suffix('\n').unwrap_or(text);
    Some(Spanned::new(text.to_owned(), block.content.span()))
}

/// From the first to the last line with text. Rules at both ends only separate.
pub(super) fn lines_span(document: &Document<'_>, lines: &Range<usize>) -> Option<Span> {
    let mut filled =
        numbered_lines(document, lines).filter(|(_, line)| !document.is_separator(line));
    let (_, first) = filled.next()?;
    let last = filled.last().map_or(first, |(_, line)| line);
    let end = last.span.start + document.slice(last.span).trim_end().len();
    Some(Span::new(first.span.start, end))
}

/// The fenced blocks of a field, and its other lines with text.
pub(super) fn fences<'d>(
    document: &'d Document<'_>,
    field: &LabelledField,
) -> (Vec<&'d Fence>, Vec<Span>) {
    let mut fences: Vec<usize> = Vec::new();
    let mut others = Vec::new();
    for (_, line) in numbered_lines(document, &field.lines) {
        match line.kind {
            LineKind::Fence(index) if fences.last() != Some(&index) => fences.push(index),
            LineKind::Fence(_) | LineKind::Comment => {}
            LineKind::Text if document.is_separator(line) => {}
            LineKind::Text => others.push(document.trim_span(line.span)),
        }
    }
    let found = fences
        .iter()
        .filter_map(|index| document.fences.get(*index));
    (found.collect(), others)
}

/// The lines of a range with their indexes.
pub(super) fn numbered_lines<'d>(
    document: &'d Document<'_>,
    lines: &Range<usize>,
) -> impl Iterator<Item = (usize, &'d Line)> {
    let (start, end) = (lines.start, lines.end);
    let lines = document.lines.iter().enumerate();
    lines.skip(start).take(end.saturating_sub(start))
}

/// Length of the list marker that a text begins with, with a check box if there is one.
pub(crate) fn marker_len(text: &str) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let after = match digits {
        0 => text.strip_prefix(['-', '*', '+'])?,
        1..=9 => text.get(digits..)?.strip_prefix(['.', ')'])?,
        _ => return None,
    };
    let item = after.strip_prefix([' ', '\t'])?.trim_start();
    let boxes = ["[ ] ", "[x] ", "[X] "];
    let item = boxes
        .iter()
        .find_map(|b| item.strip_prefix(b))
        .unwrap_or(item);
    Some(text.len() - item.len())
}

fn bare_items(document: &Document<'_>, parts: &[Span], commas: bool) -> Vec<Spanned<String>> {
    if !commas {
        return join_paragraph(document, parts)
            .map(plain_value)
            .into_iter()
            .collect();
    }
    // A comma in a comment parts nothing.
    let pieces = parts.iter().flat_map(|part| {
        let names = without_comment(document.slice(*part));
        split_commas(names, part.start)
    });
    pieces
        .map(|piece| {
            let span = document.trim_span(piece);
            plain_value(Spanned::new(document.slice(span).to_owned(), span))
        })
        .collect()
}

/// The places between commas; a comma inside brackets or back-ticks is part of a name, as in
/// `src/{a,b}.rs`.
fn split_commas(text: &str, start: usize) -> Vec<Span> {
    let mut pieces = Vec::new();
    let mut depth = 0_usize;
    let mut code = false;
    let mut from = 0;
    for (index, c) in text.char_indices() {
        match c {
            '`' => code = !code,
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 && !code => {
                pieces.push(Span::new(start + from, start + index));
                from = index + 1;
            }
            _ => {}
        }
    }
    pieces.push(Span::new(start + from, start + text.len()));
    pieces
}

/// The items, none where the only one is the word `none`. Beside others that word is a mistake.
pub(super) fn unless_none(
    name: &str,
    mut items: Vec<Spanned<String>>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Spanned<String>> {
    let alone = items.len() == 1;
    items.retain(|item| {
        if item.value == "none" && !alone {
            problems.push(bad_value::none_beside_others(DIALECT, name, item.span));
        }
        item.value != "none"
    });
    items
}

/// The items, unless they are written in brackets, as YAML and JSON do it.
pub(super) fn unless_bracketed(
    name: &str,
    items: Vec<Spanned<String>>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<Spanned<String>> {
    match items.as_slice() {
        // A glob may begin with a class, as in `[ab]/x`.
        [only]
            if only.value.starts_with('[')
                && only
                    .value
                    .find(']')
                    .is_none_or(|at| at + 1 == only.value.len()) =>
        {
            problems.push(bad_value::bracketed_list(DIALECT, name, only));
            Vec::new()
        }
        _ => items,
    }
}

/// Several stretches as one text, as markdown joins the lines of a paragraph.
fn join_paragraph(document: &Document<'_>, parts: &[Span]) -> Option<Spanned<String>> {
    let (first, last) = (parts.first()?, parts.last()?);
    let texts: Vec<_> = parts.iter().map(|part| document.slice(*part)).collect();
    Some(Spanned::new(texts.join(" "), first.to(*last)))
}

/// A value without the comment at its end. One in back-ticks is part of the value.
pub(crate) fn without_comment(value: &str) -> &str {
    match value.rsplit_once("<!--") {
        Some((before, comment)) if comment.ends_with("-->") => before.trim_end(),
        _ => value,
    }
}

/// Takes away a comment at the end and the back-ticks around a value.
pub(super) fn plain_value(text: Spanned<String>) -> Spanned<String> {
    let Spanned { value, span } = text;
    let mut start = span.start;
    let mut kept = without_comment(&value);
    if let Some(inside) = kept
        .strip_prefix('`')
        .and_then(|rest| rest.strip_suffix('`'))
        && !inside.contains('`')
    {
        kept = inside;
        start += 1;
    }
    // A value that spans lines has another length than its place.
    let span = if value.len() == span.len() {
        Span::new(start, start + kept.len())
    } else {
        span
    };
    Spanned::new(kept.to_owned(), span)
}
