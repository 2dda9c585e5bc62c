//! Splits the lines of a plan or a step into its labelled fields.

use std::collections::BTreeMap;
use std::ops::Range;

use super::DIALECT;
use super::labels::{Label, LabelForm, indented_label, label};
use crate::check::{bad_value, unknown_field};
use crate::diagnostic::Diagnostic;
use crate::draft::Spanned;
use crate::markdown::{Document, Line};
use crate::source::Span;

/// A label and everything up to the next one.
#[derive(Debug, Clone)]
pub(super) struct LabelledField {
    /// The name it is known by.
    pub(super) name: &'static str,
    /// The name as written.
    pub(super) label: Span,
    /// The rest of the label's line, trimmed.
    pub(super) inline: Span,
    /// The whole line of the label.
    pub(super) line: Span,
    /// The lines after it.
    pub(super) lines: Range<usize>,
}

/// Labelled fields, and the lines before the first of them.
#[derive(Debug)]
pub(super) struct Fields {
    pub(super) leading: Range<usize>,
    pub(super) fields: Vec<LabelledField>,
}

/// Which labels count, and how to speak of what they belong to.
#[derive(Debug, Clone, Copy)]
pub(super) struct LabelScope {
    pub(super) names: &'static [&'static str],
    /// Labels that may be given more than once.
    pub(super) repeatable: &'static [&'static str],
    /// Labels that would count in another scope.
    pub(super) elsewhere: &'static [&'static str],
    /// `a step` or `a plan`.
    pub(super) owner: &'static str,
}

/// Splits lines into fields.
///
/// A label that the scope does not know is reported and stays part of the text around it: it may
/// be prose, and prose must never be lost.
pub(super) fn split(
    document: &Document<'_>,
    lines: Range<usize>,
    scope: LabelScope,
    problems: &mut Vec<Diagnostic>,
) -> Fields {
    let mut fields: Vec<LabelledField> = Vec::new();
    let mut leading = lines.clone();
    for index in lines.clone() {
        let Some(line) = document.lines.get(index) else {
            break;
        };
        let Some(found) = label(document, line) else {
            let free = fields.last().is_some_and(|last| FREE.contains(&last.name));
            problems.extend(too_far(document, line, scope).filter(|_| !free));
            continue;
        };
        let Some(name) = recognise(document, &found, line.span, scope, problems) else {
            continue;
        };
        match fields.last_mut() {
            Some(last) => last.lines.end = index,
            None => leading.end = index,
        }
        fields.push(LabelledField {
            name,
            label: found.name.span,
            inline: found.value,
            line: line.span,
            lines: index + 1..lines.end,
        });
    }
    report_repeated(&fields, scope, problems);
    Fields { leading, fields }
}

/// Fields that hold free text, in which what is indented may be code.
const FREE: [&str; 4] = ["task", "instructions", "context", "ask"];

/// Reports a field that is indented so far that it is read as text.
fn too_far(document: &Document<'_>, line: &Line, scope: LabelScope) -> Option<Diagnostic> {
    let found = indented_label(document, line)?;
    let key = found.key();
    let name = scope.names.iter().find(|name| **name == key)?;
    let name = Spanned::new((*name).to_owned(), found.name.span);
    let indentation = Span::new(line.span.start, found.name.span.start.saturating_sub(2));
    Some(unknown_field::indented_label(DIALECT, &name, indentation))
}

/// The field a label names; a near miss is reported.
fn recognise(
    document: &Document<'_>,
    label: &Label,
    line: Span,
    scope: LabelScope,
    problems: &mut Vec<Diagnostic>,
) -> Option<&'static str> {
    let key = label.key();
    let known = scope.names.iter().copied().find(|name| *name == key);
    match (known, label.form) {
        (Some(name), LabelForm::Proper) => Some(name),
        // People also write `**status: done**`.
        (Some("status"), LabelForm::ValueInside) => Some("status"),
        (Some(name), LabelForm::ValueInside | LabelForm::ColonOutside) => {
            let value = document.slice(label.value);
            let found = unknown_field::spelling(DIALECT, &label.name, line, name, value);
            problems.push(found);
            None
        }
        (None, LabelForm::Proper) if scope.elsewhere.contains(&key.as_str()) => {
            problems.push(bad_value::field_of_no_step(DIALECT, &label.name));
            None
        }
        (None, LabelForm::Proper) => {
            let found = unknown_field::label(DIALECT, &label.name, scope.owner, scope.names);
            problems.push(found);
            None
        }
        (None, LabelForm::ValueInside | LabelForm::ColonOutside) => None,
    }
}

fn report_repeated(fields: &[LabelledField], scope: LabelScope, problems: &mut Vec<Diagnostic>) {
    let mut first: BTreeMap<&str, Span> = BTreeMap::new();
    for field in fields {
        match first.get(field.name) {
            None => {
                first.insert(field.name, field.label);
            }
            Some(_) if scope.repeatable.contains(&field.name) => {}
            Some(before) => {
                problems.push(bad_value::repeated_label(
                    DIALECT,
                    field.name,
                    field.label,
                    *before,
                ));
            }
        }
    }
}

impl Fields {
    /// The first field of a name.
    pub(super) fn get(&self, name: &str) -> Option<&LabelledField> {
        self.fields.iter().find(|field| field.name == name)
    }
}
