//! One step: its heading and its fields.

use std::ops::Range;

use super::fields::{Fields, LabelScope, LabelledField, split};
use super::labels::{bare_label, label};
use super::values::{lines_span, list, markdown, scalar};
use super::{DIALECT, contract, heading, values};
use crate::check::{bad_value, missing_field, unknown_field};
use crate::diagnostic::Diagnostic;
use crate::draft::{Draft, DraftHint, DraftStep, Spanned, StatusMark, StepMarks};
use crate::field::{self, DraftMember, Shape};
use crate::markdown::{Document, Line};
use crate::model::STEP_RECORD;
use crate::source::Span;
use crate::spelling::workunit::{STEP, STEP_NAMES};

pub(super) const SCOPE: LabelScope = LabelScope {
    owner: "a step",
    repeatable: &["status"],
    elsewhere: &[],
    names: &STEP_NAMES,
};

/// Reads the step that stands in these lines and adds it to the draft.
pub(super) fn read(document: &Document<'_>, lines: Range<usize>, draft: &mut Draft) {
    let position = draft.steps.len() + 1;
    let mut problems = Vec::new();
    let mut step = heading_of(document, &lines);
    let fields = split(document, lines.start + 1..lines.end, SCOPE, &mut problems);
    let mut reader = StepReader {
        document,
        fields: &fields,
        problems,
    };
    reader.read_into(&mut step);
    reader.leading();
    let mut problems = reader.problems;
    if step.number.is_none() && step.unexpanded.is_none() {
        problems.push(bad_value::no_number(DIALECT, &step, position));
    }
    let id = step
        .id
        .as_ref()
        .map_or_else(|| format!("step-{position}"), |id| id.value.clone());
    draft
        .problems
        .extend(problems.into_iter().map(|problem| problem.step(id.clone())));
    draft.steps.push(step);
}

fn heading_of(document: &Document<'_>, lines: &Range<usize>) -> DraftStep {
    let first = document.lines.get(lines.start);
    let line = first.map(|line| line.span).unwrap_or_default();
    let text = first.and_then(|line| heading::of_line(document, line));
    let text = text.map_or(line, |heading| heading.text);
    let parts = heading::read(document.slice(Span::new(0, line.end)), text);
    let end = lines_span(document, lines).map_or(line.end, |span| span.end);
    DraftStep {
        span: Span::new(line.start, end),
        heading: line,
        number: parts.number,
        unexpanded: parts.unexpanded,
        title: parts.title,
        marks: StepMarks {
            ticks: parts.ticks,
            statuses: Vec::new(),
            insert_tick: parts.insert_tick,
            // Behind trailing spaces, which belong to the line.
            insert_status: line_end(document, lines).unwrap_or(line.end),
        },
        ..DraftStep::default()
    }
}

/// Where the last line with text ends.
fn line_end(document: &Document<'_>, lines: &Range<usize>) -> Option<usize> {
    let filled =
        values::numbered_lines(document, lines).filter(|(_, line)| !document.is_separator(line));
    filled.last().map(|(_, line)| line.span.end)
}

struct StepReader<'d, 'a> {
    document: &'d Document<'a>,
    fields: &'d Fields,
    problems: Vec<Diagnostic>,
}

impl StepReader<'_, '_> {
    fn read_into(&mut self, step: &mut DraftStep) {
        step.id = self.scalar("id");
        step.target = self.scalar("target");
        step.task = self.markdown("task");
        step.tool = self.scalar("tool");
        step.args = self.args();
        step.args_unread = step.args.is_none() && self.fields.get("args").is_some();
        if let Some(args) = &step.args {
            let text = self.document.slice(Span::new(0, args.span.end));
            step.args_spans = crate::json::value_spans_within(text, args.span);
        }
        step.ask = self.markdown("ask");
        step.choices = self.list("choices", true).unwrap_or_default();
        step.contract = self.contract().map(Box::new);
        step.contract_missing_command =
            step.contract.is_none() && self.fields.get("contract").is_some();
        step.depends_on = self.depends_on();
        for key in &STEP {
            let field = key.field.and_then(field::of_step);
            if let (Some(field), Some(_)) = (field, self.fields.get(key.key)) {
                self.fill(key.key, field, step);
            }
        }
        step.hint = self.hint();
        step.record = self.record();
        step.marks.statuses = self.statuses();
    }

    /// Reads a field into its place.
    fn fill<D, M>(&mut self, label: &str, field: &field::FieldSpec<D, M>, draft: &mut D) {
        match field.shape.member(draft) {
            Some(DraftMember::One(slot)) => {
                *slot = if field.shape.is_prose() {
                    self.markdown(label)
                } else {
                    self.scalar(label)
                };
            }
            Some(DraftMember::Many(slot)) => {
                let commas = !matches!(field.shape, Shape::Sentences(_));
                *slot = self.list(label, commas).unwrap_or_default();
            }
            Some(DraftMember::Scope(slot)) => *slot = self.scope(label),
            None => {}
        }
    }

    fn scalar(&mut self, name: &str) -> Option<Spanned<String>> {
        let field = self.fields.get(name)?;
        let read = scalar(self.document, field);
        self.report_stray_lines(field, &read.left_over);
        self.require_value(field, read.value)
    }

    fn markdown(&mut self, name: &str) -> Option<Spanned<String>> {
        let field = self.fields.get(name)?;
        // An empty text is kept: `empty-task` says more than "no value".
        let empty = || Spanned::new(String::new(), field.label);
        Some(markdown(self.document, field).unwrap_or_else(empty))
    }

    fn list(&mut self, name: &str, commas: bool) -> Option<Vec<Spanned<String>>> {
        let field = self.fields.get(name)?;
        let read = list(self.document, field, commas);
        self.report_stray_lines(field, &read.left_over);
        if read.value.is_empty() && read.left_over.is_empty() {
            let found = bad_value::empty(DIALECT, field.name, field.label);
            self.problems.push(found);
        }
        Some(values::unless_bracketed(
            name,
            read.value,
            &mut self.problems,
        ))
    }

    /// A list in which the word `none` means an empty one.
    fn scope(&mut self, name: &str) -> Option<Vec<Spanned<String>>> {
        let items = self.list(name, true)?;
        Some(values::unless_none(name, items, &mut self.problems))
    }

    /// The hint of a proposal: `tool: operation → target`.
    fn hint(&mut self) -> DraftHint {
        let Some(Spanned { value, span }) = self.scalar("tool_hint") else {
            return DraftHint::default();
        };
        let (call, target) = match value.split_once(" → ") {
            Some((call, target)) => (call, Some(target)),
            None => (value.as_str(), None),
        };
        let (tool, operation) = match call.split_once(": ") {
            Some((tool, operation)) => (tool, Some(operation)),
            None => (call, None),
        };
        let part = |text: &str| Spanned::new(text.trim().to_owned(), span);
        DraftHint {
            tool: Some(part(tool)),
            operation: operation.map(part),
            target: target.map(part),
        }
    }

    fn depends_on(&mut self) -> Option<Vec<Spanned<String>>> {
        let field = self.fields.get("depends_on")?;
        let listed = self.list("depends_on", true)?;
        if listed.is_empty() {
            return self
                .require_value(field, None)
                .map(|_: Spanned<String>| Vec::new());
        }
        Some(values::unless_none(
            "depends_on",
            listed,
            &mut self.problems,
        ))
    }

    fn contract(&mut self) -> Option<crate::draft::DraftContract> {
        let mut extras = crate::draft::DraftContract::default();
        let alone = self.fields.get("contract").is_none();
        for key in &STEP {
            let field = key.field.and_then(field::of_contract);
            let (Some(field), Some(_)) = (field, self.fields.get(key.key)) else {
                continue;
            };
            self.fill(key.key, field, &mut extras);
            if let (true, Some(DraftMember::One(Some(value)))) =
                (alone, field.shape.member(&mut extras))
            {
                let found = missing_field::contract_for(DIALECT, key.key, value.span);
                self.problems.push(found);
            }
        }
        let read = contract::read(self.document, self.fields, &mut self.problems)?;
        Some(crate::draft::DraftContract {
            span: read.span,
            command: read.command,
            shell: read.shell,
            expect: read.expect,
            ..extras
        })
    }

    /// Arguments of a tool: JSON in a fenced block, or on the label's line.
    fn args(&mut self) -> Option<Spanned<serde_json::Value>> {
        self.json("args")
    }

    /// What other dialects keep about a step and this one has no field for.
    fn record(&mut self) -> Vec<(&'static str, Spanned<serde_json::Value>)> {
        let Some(Spanned { value, span }) = self.json("record") else {
            return Vec::new();
        };
        let serde_json::Value::Object(members) = value else {
            let what = "a value that is not an object";
            let name = Spanned::new("record".to_owned(), span);
            self.problems
                .push(bad_value::no_mapping(DIALECT, &name, span, what));
            return Vec::new();
        };
        let text = self.document.slice(Span::new(0, span.end));
        let keys = crate::json::keys_within(text, span);
        let mut record = Vec::new();
        for (name, value) in members {
            match STEP_RECORD.iter().find(|known| **known == name) {
                Some(known) => record.push((*known, Spanned::new(value, span))),
                None => {
                    let key = keys.iter().find(|key| key.value == name);
                    let name = Spanned::new(name, key.map_or(span, |key| key.span));
                    let found = unknown_field::key(DIALECT, &name, &STEP_RECORD);
                    self.problems.push(found);
                }
            }
        }
        record
    }

    /// JSON in a fenced block, or on the label's line.
    fn json(&mut self, name: &str) -> Option<Spanned<serde_json::Value>> {
        let field = self.fields.get(name)?;
        let (blocks, _) = values::fences(self.document, field);
        let (json, span) = match blocks.first() {
            Some(fence) => (fence.content.text.clone(), fence.content.span()),
            None => {
                let read = scalar(self.document, field);
                let text = self.require_value(field, read.value)?;
                (text.value, text.span)
            }
        };
        match serde_json::from_str(&json) {
            Ok(value) => Some(Spanned::new(value, span)),
            Err(error) => {
                self.problems.push(bad_value::json(
                    DIALECT,
                    &format!("`{name}`"),
                    span,
                    &error.to_string(),
                ));
                None
            }
        }
    }

    fn statuses(&mut self) -> Vec<StatusMark> {
        let fields: Vec<_> = self
            .fields
            .fields
            .iter()
            .filter(|f| f.name == "status")
            .collect();
        let mut marks = Vec::new();
        for field in fields {
            let read = scalar(self.document, field);
            self.report_stray_lines(field, &read.left_over);
            if let Some(word) = self.require_value(field, read.value) {
                let line = field.line;
                marks.push(StatusMark { word, line });
            }
        }
        marks
    }

    /// Reports a label without a value.
    fn require_value<T>(&mut self, field: &LabelledField, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.problems
                .push(bad_value::empty(DIALECT, field.name, field.label));
        }
        value
    }

    /// Reports text that belongs to no field and would be ignored.
    fn report_stray_lines(&mut self, field: &LabelledField, lines: &[usize]) {
        let document = self.document;
        let lines = lines.iter().filter_map(|index| document.lines.get(*index));
        let (bare_labels, mut others): (Vec<_>, Vec<_>) =
            lines.partition(|line| bare_label(document, line, SCOPE.names).is_some());
        others.truncate(1);
        for line in bare_labels.into_iter().chain(others) {
            self.report_stray(line, Some(field.name));
        }
    }

    /// Reports a line that belongs to no field, unless it has been reported as an unknown label.
    fn report_stray(&mut self, line: &Line, after: Option<&str>) {
        let document = self.document;
        if let Some((name, label)) = bare_label(document, line, SCOPE.names) {
            let trimmed = document.trim_span(line.span);
            let value = document.slice(label.value);
            let found = unknown_field::bare_label(DIALECT, &label.name, trimmed, name, value);
            self.problems.push(found);
        } else if label(document, line).is_none() {
            let span = document.trim_span(line.span);
            self.problems
                .push(unknown_field::stray_text(DIALECT, span, after));
        }
    }

    fn leading(&mut self) {
        let lines = self.fields.leading.clone();
        let text = values::numbered_lines(self.document, &lines).find(|(_, line)| {
            line.kind != crate::markdown::LineKind::Comment
                && !self.document.is_separator(line)
                && label(self.document, line).is_none()
        });
        let text = text.map(|(_, line)| *line);
        if let Some(line) = text {
            self.report_stray(&line, None);
        }
    }
}
