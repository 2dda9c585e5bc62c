//! Fields of the plan itself, and its narrative.

use std::ops::Range;

use super::DIALECT;
use super::fields::{LabelScope, LabelledField, split};
use super::labels::bare_label;
use super::values::{
    FieldValue, lines_span, list, markdown, marker_len, numbered_lines, scalar, unless_none,
};
use crate::check::{bad_value, unknown_field};
use crate::dialect::narrative::Narrative;
use crate::draft::{Draft, Spanned};
use crate::field::{DraftMember, Shape, of_plan};
use crate::markdown::Document;
use crate::source::Span;
use crate::spelling::workunit::PLAN_NAMES;

pub(super) const SCOPE: LabelScope = LabelScope {
    owner: "a plan",
    repeatable: &[],
    elsewhere: super::step::SCOPE.names,
    names: &PLAN_NAMES,
};

/// Adds the text of some lines to the prose, if they hold any.
pub(super) fn add_lines(narrative: &mut Narrative, document: &Document<'_>, lines: Range<usize>) {
    let span = lines_span(document, &lines);
    narrative.add_text(document, lines, span);
}

/// Reads the fields before the first section; everything else there is narrative.
pub(super) fn preamble(
    document: &Document<'_>,
    lines: Range<usize>,
    draft: &mut Draft,
    narrative: &mut Narrative,
) {
    let fields = split(document, lines, SCOPE, &mut draft.problems);
    report_bare(document, &fields.leading, draft);
    add_lines(narrative, document, fields.leading.clone());
    for field in &fields.fields {
        match field.name {
            "context" => match markdown(document, field) {
                Some(text) => narrative.add(text),
                None => empty(draft, field),
            },
            "task" => match markdown(document, field) {
                Some(text) => draft.task = draft.task.take().or(Some(text)),
                None => empty(draft, field),
            },
            "tools" => {
                let items = read_list(document, field, true, narrative);
                draft.tools = Some(unless_none("tools", items, &mut draft.problems));
            }
            name => match of_plan(name).map(|known| &known.shape) {
                Some(shape @ Shape::Sentences(_)) => {
                    let items = read_list(document, field, false, narrative);
                    if let Some(DraftMember::Many(slot)) = shape.member(draft) {
                        *slot = items;
                    }
                }
                Some(shape) => {
                    let value = read_text(document, field, draft, narrative);
                    if let Some(DraftMember::One(slot)) = shape.member(draft) {
                        *slot = value;
                    }
                }
                None => {}
            },
        }
    }
}

/// Reports lines such as `Budget: $5`, which stay prose.
fn report_bare(document: &Document<'_>, lines: &Range<usize>, draft: &mut Draft) {
    for (_, line) in numbered_lines(document, lines) {
        let Some((name, label)) = bare_label(document, line, SCOPE.names) else {
            continue;
        };
        let name = unknown_field::documented_name(name, SCOPE.owner);
        let span = document.trim_span(line.span);
        let value = document.slice(label.value);
        let found = unknown_field::bare_label(DIALECT, &label.name, span, &name, value);
        draft.problems.push(found);
    }
}

/// Reads a `## Risks` section: one risk per item, prose is narrative.
pub(super) fn risks(
    document: &Document<'_>,
    lines: Range<usize>,
    draft: &mut Draft,
    narrative: &mut Narrative,
) {
    let field = LabelledField {
        name: "risks",
        label: Span::default(),
        inline: Span::default(),
        line: Span::default(),
        lines: lines.clone(),
    };
    let begins_with_item = numbered_lines(document, &lines)
        .find(|(_, line)| !document.is_blank(line))
        .is_some_and(|(_, line)| marker_len(document.slice(line.span).trim_start()).is_some());
    if begins_with_item {
        draft
            .risks
            .extend(read_list(document, &field, false, narrative));
    } else {
        add_lines(narrative, document, lines);
    }
}

fn read_text(
    document: &Document<'_>,
    field: &LabelledField,
    draft: &mut Draft,
    narrative: &mut Narrative,
) -> Option<Spanned<String>> {
    let FieldValue { value, left_over } = scalar(document, field);
    keep_as_narrative(document, &left_over, narrative);
    if value.is_none() {
        empty(draft, field);
    }
    value
}

fn read_list(
    document: &Document<'_>,
    field: &LabelledField,
    commas: bool,
    narrative: &mut Narrative,
) -> Vec<Spanned<String>> {
    let FieldValue { value, left_over } = list(document, field, commas);
    keep_as_narrative(document, &left_over, narrative);
    value
}

fn keep_as_narrative(document: &Document<'_>, lines: &[usize], narrative: &mut Narrative) {
    if let (Some(first), Some(last)) = (lines.first(), lines.last()) {
        add_lines(narrative, document, *first..last + 1);
    }
}

fn empty(draft: &mut Draft, field: &LabelledField) {
    draft
        .problems
        .push(bad_value::empty(DIALECT, field.name, field.label));
}
