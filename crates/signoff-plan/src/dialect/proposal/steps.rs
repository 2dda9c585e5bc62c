//! `## Steps`: each item of the numbered list is a step.

use std::ops::Range;

use super::context::{add_lines, numbered_lines};
use super::item::{NumberedItem, dedent, items, marker_len};
use super::subitem::{self, SubitemField};
use super::{DIALECT, ROLE, hint, value};
use crate::check::{bad_value, missing_field, too_large, unknown_field};
use crate::diagnostic::Diagnostic;
use crate::dialect::narrative::Narrative;
use crate::draft::{Draft, DraftHint, DraftStep, Spanned};
use crate::markdown::{Document, LineKind};
use crate::source::Span;

/// Reads the steps among some lines; what is not a step is prose.
pub(super) fn read(
    document: &Document<'_>,
    lines: Range<usize>,
    draft: &mut Draft,
    narrative: &mut Narrative,
) {
    let (items, strays) = items(document, &lines);
    let first = items.first().map(|item| item.lines.start);
    for lines in strays {
        if first.is_some_and(|first| first < lines.start) {
            report_stray_lines(document, &lines, draft);
        }
        add_lines(narrative, document, lines);
    }
    for item in &items {
        if draft.steps.len() >= too_large::STEPS {
            let found = too_large::steps(DIALECT, item.first);
            draft.problems.push(found);
            return;
        }
        step(document, item, draft);
    }
}

/// Reports what looks like part of a step and is not.
fn report_stray_lines(document: &Document<'_>, lines: &Range<usize>, draft: &mut Draft) {
    for (_, line) in numbered_lines(document, lines) {
        if line.kind != LineKind::Text {
            continue;
        }
        let text = document.trim_span(line.span);
        if let Some(name) = subitem::known_field_name(document, line) {
            let found = bad_value::not_indented(DIALECT, &name, line.span.start);
            draft.problems.push(found);
        } else if marker_len(document.slice(text)).is_some() {
            let found = unknown_field::outside_steps(DIALECT, text);
            draft.problems.push(found);
        }
    }
}

fn step(document: &Document<'_>, item: &NumberedItem, draft: &mut Draft) {
    let mut problems = Vec::new();
    let (described, fields) = subitem::split(document, item, &mut problems);
    let tools = draft.tools.as_deref().unwrap_or_default();
    let description = Description::read(document, item, &described, tools);
    let heading = document.lines.get(item.lines.start);
    let heading = heading.map_or(item.first, |line| line.span);
    let last = item.lines.end.checked_sub(1);
    let last = last.and_then(|last| document.lines.get(last));
    let target = Spanned::new(ROLE.to_owned(), description.title.span);
    let mut step = DraftStep {
        span: last.map_or(heading, |line| heading.to(line.span)),
        heading,
        target: Some(target),
        task: Some(description.task),
        title: description.title,
        ..DraftStep::default()
    };
    step.hint = description.hint;
    fill(document, &fields, &mut step, &mut problems);
    let id = format!("step-{}", draft.steps.len() + 1);
    let problems = problems.into_iter().map(|found| found.step(id.clone()));
    draft.problems.extend(problems);
    draft.steps.push(step);
}

fn fill(
    document: &Document<'_>,
    fields: &[SubitemField],
    step: &mut DraftStep,
    problems: &mut Vec<Diagnostic>,
) {
    let mut expect = Vec::new();
    for field in fields {
        let given = match field.name.value.as_str() {
            "task" => {
                step.task = Some(value::markdown(document, field));
                true
            }
            "on_fail" => {
                step.on_fail = value::scalar(document, field);
                step.on_fail.is_some()
            }
            "when" => {
                step.when = value::scalar(document, field);
                step.when.is_some()
            }
            "contract" => {
                step.contract = value::contract(document, field, problems).map(Box::new);
                step.contract_missing_command = step.contract.is_none();
                true
            }
            _ => {
                expect.extend(value::conditions(document, field));
                true
            }
        };
        if !given {
            let found = bad_value::empty(DIALECT, &field.name.value, field.name.span);
            problems.push(found);
        }
    }
    let written = fields.iter().any(|field| field.name.value == "contract");
    match (&mut step.contract, expect.first()) {
        (Some(contract), _) => contract.expect.append(&mut expect),
        (None, Some(first)) if !written => {
            let found = missing_field::contract_for(DIALECT, "expect", first.span);
            problems.push(found);
        }
        _ => {}
    }
}

/// What a step says, apart from its fields.
struct Description {
    title: Spanned<String>,
    task: Spanned<String>,
    hint: DraftHint,
}

impl Description {
    fn read(
        document: &Document<'_>,
        item: &NumberedItem,
        lines: &[usize],
        tools: &[Spanned<String>],
    ) -> Self {
        let mut text = DescriptionLines::of(document, item, lines);
        let hint = text.take_hint(tools);
        let paragraph = text.paragraph();
        let first = text.lines.get(..paragraph).unwrap_or_default();
        let span = |lines: &[Spanned<String>]| {
            let spans = lines.iter().filter(|line| !line.value.is_empty());
            let spans = spans.map(|line| line.span).reduce(Span::to);
            spans.unwrap_or(Span::at(item.first.start))
        };
        let joined = |lines: &[Spanned<String>], by: &str| {
            let texts: Vec<_> = lines.iter().map(|line| line.value.as_str()).collect();
            texts.join(by).trim_end().to_owned()
        };
        let words: Vec<_> = first
            .iter()
            .map(|line| line.clone().map(|text| text.trim().to_owned()))
            .collect();
        Self {
            title: Spanned::new(joined(&words, " "), span(first)),
            task: Spanned::new(joined(&text.lines, "\n"), span(&text.lines)),
            hint,
        }
    }
}

/// The lines of a description without their indentation.
struct DescriptionLines {
    lines: Vec<Spanned<String>>,
    /// Which of them are part of a block, or come after a field.
    apart: Vec<bool>,
}

impl DescriptionLines {
    fn of(document: &Document<'_>, item: &NumberedItem, lines: &[usize]) -> Self {
        let mut text = Self {
            lines: Vec::new(),
            apart: Vec::new(),
        };
        let mut expected = item.lines.start;
        for index in lines {
            let Some(line) = document.lines.get(*index) else {
                continue;
            };
            let (kept, end) = if *index == item.lines.start {
                (document.slice(item.first), item.first.end)
            } else {
                (
                    dedent(document.slice(line.span), item.indent),
                    line.span.end,
                )
            };
            let span = Span::new(end - kept.len(), end);
            text.lines.push(Spanned::new(kept.to_owned(), span));
            let block = matches!(line.kind, LineKind::Fence(_));
            text.apart.push(block || *index != expected);
            expected = index + 1;
        }
        while text
            .lines
            .last()
            .is_some_and(|line| line.value.trim().is_empty())
        {
            text.lines.pop();
        }
        text
    }

    /// Takes the hint from the end of the first paragraph, or else from the end of the text.
    fn take_hint(&mut self, tools: &[Spanned<String>]) -> DraftHint {
        let mut ends = vec![self.paragraph(), self.lines.len()];
        ends.dedup();
        for end in ends {
            let Some(at) = end.checked_sub(1) else {
                continue;
            };
            // What ends in a block is not a text.
            let block = at > 0 && self.apart.get(at).copied().unwrap_or_default();
            let Some(line) = self.lines.get_mut(at).filter(|_| !block) else {
                continue;
            };
            if let Some(found) = hint::find(&line.value, line.span.start, tools) {
                line.value.truncate(found.text);
                line.span.end = line.span.start + found.text;
                // A hint on a line of its own leaves none.
                if found.text == 0 && at > 0 {
                    self.lines.remove(at);
                    self.apart.remove(at);
                }
                return found.hint;
            }
            if let Some(at) = hint::escape_position(&line.value) {
                line.value.remove(at);
            }
        }
        DraftHint::default()
    }

    /// How many lines the first paragraph has.
    fn paragraph(&self) -> usize {
        let ends = |at: usize| {
            let line = self.lines.get(at).map_or("", |line| line.value.trim());
            let apart = self.apart.get(at).copied().unwrap_or_default();
            line.is_empty() || apart || marker_len(line).is_some()
        };
        (1..self.lines.len())
            .find(|at| ends(*at))
            .unwrap_or(self.lines.len())
    }
}
