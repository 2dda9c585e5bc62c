//! Where the fields of a file stand, for edits and for formatting.

use std::ops::Range;

use super::fields::{Fields, LabelScope, split};
use super::sections::{Section, SectionStart, outline};
use super::values::{fences, lines_span, numbered_lines};
use super::{frontmatter, plan, step};
use crate::markdown::{Document, LineKind};
use crate::source::{Source, Span};

/// The places of a whole file.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// Fields of the plan.
    pub(crate) plan: FieldGroup,
    /// The `## Risks` section, its heading not included.
    pub(crate) risks: Option<LocatedField>,
    /// Its steps, in the order they stand in.
    pub(crate) steps: Vec<FieldGroup>,
    /// Where the first rejection begins.
    pub(crate) rejections: Option<usize>,
    /// Where the body begins.
    pub(crate) body: usize,
    /// The headings that begin a part of the file.
    pub(crate) headings: Vec<PartHeading>,
}

/// A heading that begins a part of the file.
#[derive(Debug)]
pub(crate) struct PartHeading {
    /// Its line, without the line end.
    pub(crate) line: Span,
    /// Whether it is a line of its own rather than the first line of a text.
    pub(crate) own: bool,
    /// Where the next line with text begins.
    pub(crate) next: Option<usize>,
}

/// The fields of the plan or of a step.
#[derive(Debug, Default)]
pub(crate) struct FieldGroup {
    pub(crate) fields: Vec<LocatedField>,
    /// The end of the last line with text: where a field can be added.
    pub(crate) end: usize,
    /// Nothing but a heading stands here.
    pub(crate) bare: bool,
}

/// A field at its place.
#[derive(Debug, Clone)]
pub(crate) struct LocatedField {
    /// The name of its label.
    pub(crate) name: &'static str,
    /// The name as written.
    pub(crate) label: Span,
    /// The whole line of the label, without its end.
    pub(crate) line: Span,
    /// The rest of the label's line, trimmed.
    pub(crate) inline: Span,
    /// From the first to the last line with text below the label.
    pub(crate) below: Option<Span>,
    /// Its fenced blocks.
    pub(crate) fences: Vec<FencedBlock>,
    /// Its other lines with text, trimmed, labels of no field included.
    pub(crate) lines: Vec<Span>,
    /// Whether a comment stands in a line of its own.
    pub(crate) comment: bool,
}

/// A fenced block.
#[derive(Debug, Clone)]
pub(crate) struct FencedBlock {
    pub(crate) span: Span,
    pub(crate) language: Option<Span>,
}

impl FieldGroup {
    /// The first field of a name.
    pub(crate) fn get(&self, name: &str) -> Option<&LocatedField> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// Finds the fields of a file.
pub(crate) fn layout(source: &Source) -> Layout {
    let text = source.text();
    let start = source.byte_order_mark_len();
    let body = frontmatter::find_frontmatter(text, start).map_or(start, |located| located.body);
    let document = Document::new(text, body);
    let mut layout = Layout::default();
    layout.plan.end = body;
    layout.body = body;
    let outline = outline(&document);
    layout.headings = located_headings(&document, &outline.starts);
    for section in outline.sections {
        match section {
            Section::Preamble(lines) => {
                let found = field_group(&document, lines.clone(), plan::SCOPE);
                // The title's line belongs to no part.
                let title = lines.start.checked_sub(1);
                let title = title.and_then(|at| document.lines.get(at));
                let end = title.map_or(body, |line| line.span.end);
                layout.plan.end = layout.plan.end.max(end).max(found.end);
                layout.plan.bare = found.bare;
                layout.plan.fields.extend(found.fields);
            }
            Section::Step(lines) => {
                let heading = document.lines.get(lines.start);
                let heading = heading.map_or(0, |line| line.span.end);
                let mut found = field_group(&document, lines.start + 1..lines.end, step::SCOPE);
                found.end = found.end.max(heading);
                layout.steps.push(found);
            }
            Section::Risks(lines) => {
                layout.risks = layout.risks.or_else(|| Some(risks(&document, lines)));
            }
            Section::Rejection(lines) => {
                let first = document.lines.get(lines.start);
                let first = first.map(|line| line.span.start);
                layout.rejections = layout.rejections.or(first);
            }
            Section::Narrative(_) => {}
        }
    }
    layout
}

fn located_headings(document: &Document<'_>, starts: &[SectionStart]) -> Vec<PartHeading> {
    let located = |start: &SectionStart| {
        let line = document.lines.get(start.line)?.span;
        let mut after = document.lines.iter().skip(start.line + 1);
        let next = after.find(|line| !document.is_blank(line));
        Some(PartHeading {
            line,
            own: start.own,
            next: next.map(|line| line.span.start),
        })
    };
    starts.iter().filter_map(located).collect()
}

fn field_group(document: &Document<'_>, lines: Range<usize>, scope: LabelScope) -> FieldGroup {
    let filled = numbered_lines(document, &lines).filter(|(_, line)| !document.is_separator(line));
    let end = filled.last().map(|(_, line)| line.span.end);
    let Fields { fields, .. } = split(document, lines, scope, &mut Vec::new());
    FieldGroup {
        fields: fields
            .iter()
            .map(|field| located_field(document, field))
            .collect(),
        end: end.unwrap_or(0),
        bare: end.is_none(),
    }
}

fn located_field(document: &Document<'_>, field: &super::fields::LabelledField) -> LocatedField {
    let (blocks, lines) = fences(document, field);
    let comment =
        numbered_lines(document, &field.lines).any(|(_, line)| line.kind == LineKind::Comment);
    let block = |fence: &&crate::markdown::Fence| FencedBlock {
        span: fence.span,
        language: fence.language.as_ref().map(|word| word.span),
    };
    LocatedField {
        name: field.name,
        label: field.label,
        line: field.line,
        inline: field.inline,
        below: lines_span(document, &field.lines),
        fences: blocks.iter().map(block).collect(),
        lines,
        comment,
    }
}

/// The section has a heading where a field has a label.
fn risks(document: &Document<'_>, lines: Range<usize>) -> LocatedField {
    let heading = lines.start.checked_sub(1);
    let heading = heading.and_then(|at| document.lines.get(at));
    let line = heading.map(|line| line.span).unwrap_or_default();
    let field = super::fields::LabelledField {
        name: "risks",
        label: line,
        inline: Span::at(line.end),
        line,
        lines,
    };
    located_field(document, &field)
}
