//! Fields of a step: `- contract: …` and the like under its text.

use std::collections::BTreeMap;
use std::ops::Range;

use super::DIALECT;
use super::item::{NumberedItem, indentation, marker_len};
use crate::check::{bad_value, unknown_field};
use crate::diagnostic::Diagnostic;
use crate::draft::Spanned;
use crate::markdown::{Document, Line, LineKind};
use crate::source::Span;
use crate::spelling::object;
use crate::spelling::proposal::STEP_NAMES;

/// Whether steps of other dialects have a field of this name: one of them here is most likely a
/// mistake.
fn is_elsewhere(name: &str) -> bool {
    let others = object::STEP.iter().filter_map(|key| key.field);
    let mut others = others.chain(["depends_on", "subscriptions"]);
    others.any(|other| other == name) && !matches!(name, "question" | "choices")
}

/// A field and its lines.
#[derive(Debug, Clone)]
pub(crate) struct SubitemField {
    /// The name it is known by, where it is written.
    pub(crate) name: Spanned<String>,
    /// The rest of its line.
    pub(crate) inline: Span,
    /// The lines after it.
    pub(crate) lines: Range<usize>,
    /// Columns that they are indented by.
    pub(crate) indent: usize,
}

/// Parts an item into the lines that describe the step and its fields.
pub(super) fn split(
    document: &Document<'_>,
    item: &NumberedItem,
    problems: &mut Vec<Diagnostic>,
) -> (Vec<usize>, Vec<SubitemField>) {
    let mut described = vec![item.lines.start];
    let mut fields: Vec<SubitemField> = Vec::new();
    let mut open = false;
    for index in item.lines.start + 1..item.lines.end {
        let Some(line) = document.lines.get(index) else {
            break;
        };
        let text = !document.is_blank(line) && line.kind == LineKind::Text;
        if text {
            // What is indented further than a field belongs to it, whatever it looks like.
            let indent = fields.last().map_or(0, |field| field.indent);
            open = open && indentation(document, line.span) >= indent;
        }
        let label = label(document, line).filter(|label| !open && label.column <= item.indent + 3);
        if let Some(field) = label.and_then(|label| recognise(document, &label, index, problems)) {
            fields.push(field);
            open = true;
            continue;
        }
        match fields.last_mut().filter(|_| open) {
            Some(field) => field.lines.end = index + 1,
            None => described.push(index),
        }
    }
    (described, report_duplicates(fields, problems))
}

/// The name of a field that a line is, wherever it stands.
pub(super) fn known_field_name(document: &Document<'_>, line: &Line) -> Option<Spanned<String>> {
    let name = label(document, line)?.name;
    STEP_NAMES
        .contains(&key(&name.value).as_str())
        .then_some(name)
}

/// Whether a line of a description would be taken for a field.
pub(crate) fn is_field(line: &str) -> bool {
    let document = Document::new(line, 0);
    let line = document.lines.first();
    line.is_some_and(|line| known_field_name(&document, line).is_some())
}

/// `- name: value`
struct Label {
    name: Spanned<String>,
    value: Span,
    column: usize,
    indent: usize,
}

fn label(document: &Document<'_>, line: &Line) -> Option<Label> {
    if line.kind != LineKind::Text {
        return None;
    }
    let text = document.trim_span(line.span);
    let written = document.slice(text);
    let marker = marker_len(written).filter(|_| written.starts_with(['-', '*', '+']))?;
    let item = written.get(marker..)?;
    let (name, _) = item.split_once(':')?;
    let bare = name.trim_start_matches(['*', '`']);
    let is_name = |c: char| c.is_ascii_alphabetic() || matches!(c, '_' | '-' | ' ');
    let bold = name.len() - bare.len();
    let bare = bare.trim_end_matches(['*', '`', ' ']);
    if bare.is_empty() || bare.len() > 24 || !bare.chars().all(is_name) {
        return None;
    }
    let start = text.start + marker + bold;
    // `**contract:**`, with the marks behind the colon.
    let after = text.start + marker + name.len() + 1;
    let rest = document.slice(Span::new(after, text.end));
    let marks = if bold > 0 {
        rest.len() - rest.trim_start_matches('*').len()
    } else {
        0
    };
    let column = indentation(document, line.span);
    Some(Label {
        name: Spanned::new(bare.to_owned(), Span::new(start, start + bare.len())),
        value: document.trim_span(Span::new(after + marks, text.end)),
        column,
        indent: column + 2,
    })
}

fn key(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "_")
}

/// The field a label names; a near miss is reported and stays text.
fn recognise(
    document: &Document<'_>,
    label: &Label,
    index: usize,
    problems: &mut Vec<Diagnostic>,
) -> Option<SubitemField> {
    let key = key(&label.name.value);
    if STEP_NAMES.contains(&key.as_str()) {
        return Some(SubitemField {
            name: Spanned::new(key, label.name.span),
            inline: label.value,
            lines: index + 1..index + 1,
            indent: label.indent,
        });
    }
    let elsewhere = is_elsewhere(&key);
    let found = unknown_field::label(DIALECT, &label.name, "a step of a proposal", &STEP_NAMES);
    // Any other word before a colon is prose, as is one that only happens to be near.
    let near = found.fix.is_some() && label.name.value.len() > 2 && key != "then";
    if (near || elsewhere) && !document.slice(label.name.span).contains(' ') {
        problems.push(found);
    }
    None
}

/// Reports fields that are given twice and keeps the first of each; conditions may be several.
fn report_duplicates(
    fields: Vec<SubitemField>,
    problems: &mut Vec<Diagnostic>,
) -> Vec<SubitemField> {
    let mut first: BTreeMap<String, Span> = BTreeMap::new();
    let mut kept = Vec::new();
    for field in fields {
        let name = &field.name;
        match first.get(&name.value) {
            Some(before) if name.value != "expect" => {
                let found = bad_value::repeated_label(DIALECT, &name.value, name.span, *before);
                problems.push(found);
            }
            _ => {
                first.insert(name.value.clone(), name.span);
                kept.push(field);
            }
        }
    }
    kept
}
