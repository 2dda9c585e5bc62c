//! One step: its heading and its fields.

use std::ops::Range;

use super::fields::{Field, Fields, Scope, split};
use super::values::{lines_span, list, markdown, scalar};
use super::{DIALECT, contract, heading, values};
use crate::check::{bad_value, missing_field, unknown_field};
use crate::diagnostic::Diagnostic;
use crate::draft::{Draft, Marks, Spanned, StatusMark, Step};
use crate::markdown::Document;
use crate::source::Span;

const SCOPE: Scope = Scope {
    owner: "a step",
    repeatable: &["status"],
    names: &[
        "target",
        "task",
        "subscriptions",
        "contract",
        "contract_timeout",
        "baseline",
        "fewer_tests",
        "holds",
        "on_fail",
        "id",
        "depends_on",
        "produces",
        "protects",
        "tool",
        "args",
        "ask",
        "choices",
        "when",
        "for_each",
        "max_items",
        "approval",
        "timeout",
        "budget",
        "tools",
        "locks",
        "isolation",
        "critical",
        "accept",
        "subtasks",
        "status",
    ],
};

/// Reads the step that stands in these lines and adds it to the draft.
pub(super) fn read(document: &Document<'_>, lines: Range<usize>, draft: &mut Draft) {
    let position = draft.steps.len() + 1;
    let mut problems = Vec::new();
    let mut step = heading_of(document, &lines);
    let fields = split(document, lines.start + 1..lines.end, SCOPE, &mut problems);
    let mut reader = Reader {
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

fn heading_of(document: &Document<'_>, lines: &Range<usize>) -> Step {
    let first = document.lines.get(lines.start);
    let line = first.map(|line| line.span).unwrap_or_default();
    let text = first.and_then(|line| document.heading(line));
    let text = text.map_or(line, |heading| heading.text);
    let parts = heading::read(document.slice(Span::new(0, line.end)), text);
    let end = lines_span(document, lines).map_or(line.end, |span| span.end);
    Step {
        span: Span::new(line.start, end),
        heading: line,
        number: parts.number,
        unexpanded: parts.unexpanded,
        title: parts.title,
        marks: Marks {
            ticks: parts.ticks,
            statuses: Vec::new(),
            insert_tick: parts.insert_tick,
            // Behind trailing spaces, which belong to the line.
            insert_status: line_end(document, lines).unwrap_or(line.end),
        },
        ..Step::default()
    }
}

/// Where the last line with text ends.
fn line_end(document: &Document<'_>, lines: &Range<usize>) -> Option<usize> {
    let filled = values::numbered(document, lines).filter(|(_, line)| !document.is_separator(line));
    filled.last().map(|(_, line)| line.span.end)
}

struct Reader<'d, 'a> {
    document: &'d Document<'a>,
    fields: &'d Fields,
    problems: Vec<Diagnostic>,
}

impl Reader<'_, '_> {
    fn read_into(&mut self, step: &mut Step) {
        step.id = self.scalar("id");
        step.target = self.scalar("target");
        step.task = self.markdown("task");
        step.tool = self.scalar("tool");
        step.args = self.args();
        step.ask = self.markdown("ask");
        step.choices = self.list("choices", true).unwrap_or_default();
        step.contract = self.contract();
        step.on_fail = self.scalar("on_fail");
        step.depends_on = self.depends_on();
        step.subscriptions = self.list("subscriptions", true).unwrap_or_default();
        step.produces = self.list("produces", true).unwrap_or_default();
        step.protects = self.list("protects", true).unwrap_or_default();
        step.tools = self.scope("tools");
        step.approval = self.scalar("approval");
        step.when = self.scalar("when");
        step.for_each = self.scalar("for_each");
        step.max_items = self.scalar("max_items");
        step.timeout = self.scalar("timeout");
        step.budget = self.scalar("budget");
        step.critical = self.scalar("critical");
        step.locks = self.list("locks", true).unwrap_or_default();
        step.isolation = self.scalar("isolation");
        step.acceptance = self.list("accept", false).unwrap_or_default();
        step.subtasks = self.list("subtasks", false).unwrap_or_default();
        step.marks.statuses = self.statuses();
    }

    fn scalar(&mut self, name: &str) -> Option<Spanned<String>> {
        let field = self.fields.get(name)?;
        let read = scalar(self.document, field);
        self.stray(field, &read.left_over);
        self.given(field, read.value)
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
        self.stray(field, &read.left_over);
        Some(read.value)
    }

    /// A list in which the word `none` means an empty one.
    fn scope(&mut self, name: &str) -> Option<Vec<Spanned<String>>> {
        let mut items = self.list(name, true)?;
        if let [only] = items.as_slice()
            && only.value == "none"
        {
            items.clear();
        }
        Some(items)
    }

    fn depends_on(&mut self) -> Option<Vec<Spanned<String>>> {
        let field = self.fields.get("depends_on")?;
        let listed = self.list("depends_on", true)?;
        if listed.is_empty() {
            return self.given(field, None).map(|_: Spanned<String>| Vec::new());
        }
        self.scope("depends_on")
    }

    fn contract(&mut self) -> Option<crate::draft::Contract> {
        let extras = ["contract_timeout", "baseline", "fewer_tests", "holds"];
        let [timeout, baseline, fewer_tests, holds] = extras.map(|name| self.scalar(name));
        if self.fields.get("contract").is_none() {
            for (name, value) in extras
                .iter()
                .zip([&timeout, &baseline, &fewer_tests, &holds])
            {
                if let Some(value) = value {
                    self.problems
                        .push(missing_field::contract_for(DIALECT, name, value.span));
                }
            }
        }
        let read = contract::read(self.document, self.fields, &mut self.problems)?;
        Some(crate::draft::Contract {
            timeout,
            baseline,
            fewer_tests,
            holds,
            ..read
        })
    }

    /// Arguments of a tool: JSON in a fenced block, or on the label's line.
    fn args(&mut self) -> Option<Spanned<serde_json::Value>> {
        let field = self.fields.get("args")?;
        let (blocks, _) = values::fences(self.document, field);
        let (json, span) = match blocks.first() {
            Some(fence) => (fence.content.text.clone(), fence.content.span()),
            None => {
                let read = scalar(self.document, field);
                let text = self.given(field, read.value)?;
                (text.value, text.span)
            }
        };
        match serde_json::from_str(&json) {
            Ok(value) => Some(Spanned::new(value, span)),
            Err(error) => {
                self.problems
                    .push(bad_value::args(DIALECT, span, &error.to_string()));
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
            self.stray(field, &read.left_over);
            if let Some(word) = self.given(field, read.value) {
                let line = field.line;
                marks.push(StatusMark { word, line });
            }
        }
        marks
    }

    /// Reports a label without a value.
    fn given<T>(&mut self, field: &Field, value: Option<T>) -> Option<T> {
        if value.is_none() {
            self.problems
                .push(bad_value::empty(DIALECT, field.name, field.label));
        }
        value
    }

    /// Reports text that belongs to no field: nobody would ever read it.
    fn stray(&mut self, field: &Field, lines: &[usize]) {
        let Some(first) = lines
            .first()
            .and_then(|index| self.document.lines.get(*index))
        else {
            return;
        };
        let span = self.document.trimmed(first.span);
        // A label of its own has been reported already.
        if super::labels::label(self.document, first).is_none() {
            self.problems
                .push(unknown_field::stray(DIALECT, span, Some(field.name)));
        }
    }

    fn leading(&mut self) {
        let lines = self.fields.leading.clone();
        let text = values::numbered(self.document, &lines).find(|(_, line)| {
            line.kind != crate::markdown::LineKind::Comment
                && !self.document.is_separator(line)
                && super::labels::label(self.document, line).is_none()
        });
        if let Some((_, line)) = text {
            let span = self.document.trimmed(line.span);
            self.problems
                .push(unknown_field::stray(DIALECT, span, None));
        }
    }
}
