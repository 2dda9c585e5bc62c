//! `## Context` and `## Risks`: prose, tool outputs, artifacts.

use std::ops::Range;

use serde_json::Value;

use super::DIALECT;
use super::item::marker_len;
use super::sections::{ProposalPart, part_named};
use crate::check::{bad_value, unknown_field};
use crate::dialect::narrative::Narrative;
use crate::draft::{Draft, Spanned};
use crate::markdown::{Document, Fence, Line, LineKind};
use crate::source::Span;

/// Adds the text of some lines to the prose, if they hold any.
pub(super) fn add_lines(narrative: &mut Narrative, document: &Document<'_>, lines: Range<usize>) {
    let span = text_of(document, &lines).map(|text| text.span);
    narrative.add_text(document, lines, span);
}

/// The text of some lines, from the first to the last that is not blank.
pub(super) fn text_of(document: &Document<'_>, lines: &Range<usize>) -> Option<Spanned<String>> {
    let mut filled = numbered_lines(document, lines).filter(|(_, line)| !document.is_blank(line));
    let (_, first) = filled.next()?;
    let last = filled.last().map_or(first, |(_, line)| line);
    let end = last.span.start + document.slice(last.span).trim_end().len();
    let span = Span::new(first.span.start, end);
    let text = document.slice(span).replace("\r\n", "\n");
    Some(Spanned::new(text, span))
}

/// The lines of a range with their indexes.
pub(super) fn numbered_lines<'d>(
    document: &'d Document<'_>,
    lines: &Range<usize>,
) -> impl Iterator<Item = (usize, &'d Line)> {
    let found = document.lines.get(lines.clone()).unwrap_or_default();
    (lines.start..).zip(found)
}

/// Parts of `## Context`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ContextPart {
    Prose,
    Notes,
    ToolOutputs,
    Artifacts,
}

/// Headings of these parts.
pub(super) const NAMES: [&str; 3] = ["Notes", "Tool Outputs", "Artifacts"];

/// Reads `## Context`: what is neither a tool's output nor an artifact is prose.
pub(super) fn read(
    document: &Document<'_>,
    lines: Range<usize>,
    draft: &mut Draft,
    narrative: &mut Narrative,
) {
    let mut present = (ContextPart::Prose, lines.start);
    let mut parts = Vec::new();
    for (index, line) in numbered_lines(document, &lines) {
        let heading = document.heading(line).filter(|found| found.level == 3);
        let Some(heading) = heading else { continue };
        parts.push((present.0, present.1..index));
        let name = document.slice(heading.text);
        present = (kind(name), index);
        if present.0 == ContextPart::Prose {
            let name = Spanned::new(name.to_owned(), heading.text);
            let found = unknown_field::section(DIALECT, &name, &NAMES);
            draft.problems.extend(found);
        }
    }
    parts.push((present.0, present.1..lines.end));
    for (kind, lines) in parts {
        let body = lines.start + 1..lines.end;
        match kind {
            ContextPart::Prose => add_lines(narrative, document, lines),
            ContextPart::Notes => add_lines(narrative, document, body),
            ContextPart::ToolOutputs => tool_outputs(document, lines, draft, narrative),
            ContextPart::Artifacts => artifacts(document, lines, draft, narrative),
        }
    }
}

/// Whether a heading in a text would begin another part of the file.
pub(crate) fn parts_the_file(text: &str) -> bool {
    let document = Document::new(text, 0);
    let headings = document
        .lines
        .iter()
        .filter_map(|line| document.heading(line));
    headings.into_iter().any(|heading| {
        let name = document.slice(heading.text);
        match heading.level {
            2 => part_named(name) != ProposalPart::Narrative,
            3 => kind(name) != ContextPart::Prose,
            _ => false,
        }
    })
}

fn kind(heading: &str) -> ContextPart {
    match heading.trim_end_matches(':').to_lowercase().as_str() {
        "notes" => ContextPart::Notes,
        "tool outputs" => ContextPart::ToolOutputs,
        "artifacts" => ContextPart::Artifacts,
        _ => ContextPart::Prose,
    }
}

fn tool_outputs(
    document: &Document<'_>,
    lines: Range<usize>,
    draft: &mut Draft,
    narrative: &mut Narrative,
) {
    let known = draft.record.iter().any(|(name, _)| *name == "tool_outputs");
    let block = only_block(document, &lines).filter(|_| !known);
    let Some(fence) = block else {
        return add_lines(narrative, document, lines);
    };
    if let Some(value) = json(fence, "tool outputs", draft) {
        draft.record.push(("tool_outputs", value));
    }
}

fn artifacts(
    document: &Document<'_>,
    lines: Range<usize>,
    draft: &mut Draft,
    narrative: &mut Narrative,
) {
    let known = draft.record.iter().any(|(name, _)| *name == "artifacts");
    let body = lines.start + 1..lines.end;
    if let Some(fence) = only_block(document, &lines).filter(|_| !known) {
        if let Some(value) = json(fence, "artifacts", draft) {
            draft.record.push(("artifacts", value));
        }
        return;
    }
    match items(document, &body) {
        Some(items) if !known && !items.is_empty() => {
            let span = items.iter().map(|item| item.span).reduce(Span::to);
            let value = items.into_iter().map(|item| item.value).collect();
            let value = Spanned::new(value, span.unwrap_or_default());
            draft.record.push(("artifacts", value));
        }
        _ => add_lines(narrative, document, lines),
    }
}

/// The fenced block that is all there is under a heading.
fn only_block<'d>(document: &'d Document<'_>, lines: &Range<usize>) -> Option<&'d Fence> {
    let mut block = None;
    for (_, line) in numbered_lines(document, &(lines.start + 1..lines.end)) {
        match line.kind {
            LineKind::Fence(index) if block.is_none_or(|other| other == index) => {
                block = Some(index);
            }
            LineKind::Text if document.is_blank(line) => {}
            LineKind::Fence(_) | LineKind::Text | LineKind::Comment => return None,
        }
    }
    document.fences.get(block?)
}

fn json(fence: &Fence, what: &str, draft: &mut Draft) -> Option<Spanned<Value>> {
    let text = &fence.content.text;
    match serde_json::from_str(text) {
        Ok(value) => Some(Spanned::new(value, fence.content.span())),
        Err(error) => {
            let before = text
                .split_inclusive('\n')
                .take(error.line().saturating_sub(1));
            let line: usize = before.map(str::len).sum();
            let at = (line + error.column().saturating_sub(1)).min(text.len());
            let at = text.floor_char_boundary(at);
            let next = text.get(at..).and_then(|rest| rest.chars().next());
            let wrong = Span::new(at, at + next.map_or(0, char::len_utf8));
            let span = fence.content.source_span(wrong);
            let found = bad_value::json(DIALECT, what, span, &error.to_string());
            draft.problems.push(found);
            None
        }
    }
}

/// Reads `## Risks`: one risk per item; other text is prose.
pub(super) fn risks(
    document: &Document<'_>,
    lines: Range<usize>,
    draft: &mut Draft,
    narrative: &mut Narrative,
) {
    match items(document, &lines) {
        Some(items) => draft.risks.extend(items),
        None => add_lines(narrative, document, lines),
    }
}

/// The items of a list, each as one text; `None` = there is something else than a list.
fn items(document: &Document<'_>, lines: &Range<usize>) -> Option<Vec<Spanned<String>>> {
    let mut items: Vec<Spanned<String>> = Vec::new();
    let mut after_blank = false;
    for (_, line) in numbered_lines(document, lines) {
        let text = document.trim_span(line.span);
        match line.kind {
            LineKind::Comment => continue,
            LineKind::Fence(_) => return None,
            LineKind::Text if text.is_empty() => {
                after_blank = true;
                continue;
            }
            LineKind::Text => {}
        }
        let indented = text.start > line.span.start;
        if let Some(marker) = marker_len(document.slice(text)) {
            let span = document.trim_span(Span::new(text.start + marker, text.end));
            items.push(Spanned::new(document.slice(span).to_owned(), span));
        } else if let Some(last) = items.last_mut().filter(|_| indented || !after_blank) {
            last.value.push(' ');
            last.value.push_str(document.slice(text));
            last.span = last.span.to(text);
        } else {
            return None;
        }
        after_blank = false;
    }
    items.retain(|item| !item.value.is_empty());
    Some(items)
}
