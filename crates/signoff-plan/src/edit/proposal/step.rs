//! Fields of a step: behind its number, or below it.

use serde_json::Value;

use super::line_end;
use crate::dialect::proposal::{NumberedItem, SubitemField, fields_of, items_of};
use crate::draft::{Draft, DraftStep};
use crate::edit::{EditRefused, Splice};
use crate::markdown::Document;
use crate::model::{Condition, Contract, Hint};
use crate::source::{Source, Span};
use crate::write::proposal_step as write;
use crate::{condition, model};

/// What to write where so that a field of the step at `at` has this value; `null` takes it away.
pub(super) fn set(
    source: &Source,
    draft: &Draft,
    at: usize,
    name: &str,
    value: &Value,
) -> Result<Vec<Splice>, EditRefused> {
    let document = Document::new(source.text(), draft.anchors.body.start);
    let item = items_of(&document).into_iter().nth(at);
    let (Some(item), Some(step)) = (item, draft.steps.get(at)) else {
        return Err(EditRefused::UnknownStep(format!("step-{}", at + 1)));
    };
    let fields = fields_of(&document, &item);
    let editor = StepEditor {
        document: &document,
        item,
        fields,
        step,
        line_end: line_end(source),
    };
    match name {
        "title" => editor.title(value),
        "task" => editor.task(value),
        "hint" => Ok(vec![editor.hint(value)]),
        "on_fail" | "when" => {
            let text = value.as_str().map(write::short_value);
            Ok(editor.field(name, text))
        }
        "contract.command" => editor.command(value),
        "contract.expect" => editor.expect(value),
        other => Err(EditRefused::NoPlace(format!("`{other}` of a step"))),
    }
}

struct StepEditor<'d, 'a> {
    document: &'d Document<'a>,
    item: NumberedItem,
    fields: Vec<SubitemField>,
    step: &'d DraftStep,
    line_end: &'static str,
}

impl StepEditor<'_, '_> {
    fn get(&self, name: &str) -> Option<&SubitemField> {
        self.fields.iter().find(|field| field.name.value == name)
    }

    /// White space that a field stands behind.
    fn indent(&self) -> String {
        let columns = self
            .fields
            .first()
            .map_or(self.item.indent, |field| field.indent.saturating_sub(2));
        " ".repeat(columns)
    }

    /// A field on its lines, as it is written.
    fn field_lines(&self, name: &str, value: &str) -> String {
        let mut out = String::new();
        write::field(&mut out, name, value, &self.indent());
        out
    }

    /// Inserts lines behind the last line of the step.
    fn append(&self, lines: &str) -> Splice {
        let last = self.item.lines.end.saturating_sub(1);
        let line = self.document.lines.get(last);
        let at = line.map_or(self.item.first.end, |line| line.span.end);
        let lines = lines.trim_end_matches('\n').replace('\n', self.line_end);
        Splice::insert(at, format!("{}{lines}", self.line_end))
    }

    /// All lines of a field, with the line end before them.
    fn lines_of(&self, field: &SubitemField) -> Span {
        let line = |at: usize| self.document.lines.get(at);
        let before = line(field.lines.start.saturating_sub(2));
        let start = before.map_or(field.name.span.start, |line| line.span.end);
        let last = line(field.lines.end.saturating_sub(1));
        Span::new(start, last.map_or(field.inline.end, |line| line.span.end))
    }

    /// Sets, inserts or takes away a field that is written as this text.
    fn field(&self, name: &str, text: Option<String>) -> Vec<Splice> {
        match (self.get(name), text) {
            (None, None) => Vec::new(),
            (Some(field), None) => vec![Splice::remove(self.lines_of(field))],
            (None, Some(text)) => vec![self.append(&self.field_lines(name, &text))],
            (Some(field), Some(text)) if field.lines.is_empty() && !text.contains('\n') => {
                let space = if field.inline.is_empty() { " " } else { "" };
                vec![Splice::replace(field.inline, format!("{space}{text}"))]
            }
            (Some(field), Some(text)) => {
                let lines = self.field_lines(name, &text);
                let lines = lines.trim_end_matches('\n').replace('\n', self.line_end);
                vec![Splice::replace(
                    self.lines_of(field),
                    format!("{}{lines}", self.line_end),
                )]
            }
        }
    }

    /// The title is the first paragraph; a task that was the same stays what it was.
    fn title(&self, value: &Value) -> Result<Vec<Splice>, EditRefused> {
        let title = value.as_str().unwrap_or_default();
        let written = self.step.title.span;
        let old = self
            .step
            .task
            .as_ref()
            .map_or("", |task| task.value.as_str());
        let one_line = self.document.slice(written) == self.step.title.value;
        let only = !old.contains('\n');
        if !one_line || self.get("task").is_none() && !only {
            let what = "more of the text than its first line".to_owned();
            return Err(EditRefused::NotOnlyField(what));
        }
        let mut splices = vec![Splice::replace(written, title)];
        if self.get("task").is_none() && title != old {
            splices.push(self.append(&self.field_lines("task", old)));
        }
        Ok(splices)
    }

    /// A task that is the title needs no field.
    fn task(&self, value: &Value) -> Result<Vec<Splice>, EditRefused> {
        let Some(task) = value.as_str() else {
            return Err(EditRefused::BadValue("a step has a task".to_owned()));
        };
        let described = self.step.title.value == task;
        if self.get("task").is_none() {
            let old = self
                .step
                .task
                .as_ref()
                .map_or("", |task| task.value.as_str());
            if task == old {
                return Ok(Vec::new());
            }
        }
        Ok(self.field("task", (!described).then(|| task.to_owned())))
    }

    fn hint(&self, value: &Value) -> Splice {
        let part = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let hint = Hint {
            tool: part("tool"),
            operation: part("operation"),
            target: part("target"),
        };
        let text = match hint.tool {
            Some(_) => format!(" {}", write::hint(&hint)),
            None => String::new(),
        };
        let span = match &self.step.hint.tool {
            Some(tool) => {
                // From the text before the bracket to the end of the line.
                let lines = &self.document.lines;
                let at = lines.partition_point(|line| line.next <= tool.span.start);
                let line = lines.get(at).map_or(tool.span, |line| line.span);
                let before = Span::new(line.start, tool.span.start.saturating_sub(1));
                let kept = self.document.slice(before).trim_end().len();
                Span::new(line.start + kept, self.document.trim_span(line).end)
            }
            None => Span::at(self.step.title.span.end),
        };
        Splice::replace(span, text)
    }

    fn command(&self, value: &Value) -> Result<Vec<Splice>, EditRefused> {
        let Some(command) = value.as_str() else {
            // Conditions go with what they are about.
            let gone = self
                .fields
                .iter()
                .filter(|field| matches!(field.name.value.as_str(), "contract" | "expect"));
            return Ok(gone
                .map(|field| Splice::remove(self.lines_of(field)))
                .collect());
        };
        let old = self.step.contract.as_ref();
        let shell = old.and_then(|contract| contract.shell.as_ref());
        let mut contract = Contract {
            shell: shell.map(|shell| shell.value.clone()),
            ..Contract::new(command.to_owned())
        };
        let Some(field) = self.get("contract") else {
            let mut out = String::new();
            write::contract(&mut out, &contract, &self.indent());
            return Ok(vec![self.append(&out)]);
        };
        let conditions = old.is_some_and(|old| {
            let inside = self.lines_of(field);
            old.expect.iter().any(|condition| {
                condition.span.start < inside.end && inside.start < condition.span.start
            })
        });
        if conditions {
            contract.expect = self.conditions()?;
        }
        let mut out = String::new();
        write::contract(&mut out, &contract, &self.indent());
        let lines = out.trim_end_matches('\n').replace('\n', self.line_end);
        let lines = format!("{}{lines}", self.line_end);
        Ok(vec![Splice::replace(self.lines_of(field), lines)])
    }

    /// The conditions that stand among the lines of the contract.
    fn conditions(&self) -> Result<Vec<model::Condition>, EditRefused> {
        let inside = self.get("contract").map(|field| self.lines_of(field));
        let inside = inside.unwrap_or_default();
        let written = self
            .step
            .contract
            .iter()
            .flat_map(|contract| &contract.expect);
        let written = written.filter(|condition| condition.span.start < inside.end);
        written
            .map(|text| condition::parse(&text.value))
            .collect::<Result<_, _>>()
            .map_err(|why| EditRefused::Unreadable(why.to_owned()))
    }

    fn expect(&self, value: &Value) -> Result<Vec<Splice>, EditRefused> {
        let Some(contract) = self.get("contract") else {
            let what = "conditions without a contract".to_owned();
            return Err(EditRefused::NoPlace(what));
        };
        let gone = self
            .fields
            .iter()
            .filter(|field| field.name.value == "expect");
        let mut splices: Vec<_> = gone
            .map(|field| Splice::remove(self.lines_of(field)))
            .collect();
        let conditions = value
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str);
        let default = Condition::DEFAULT.to_string();
        let mut conditions: Vec<_> = conditions.collect();
        if conditions == [default.as_str()] {
            conditions.clear();
        }
        let mut lines = String::new();
        for text in conditions {
            lines.push_str(self.line_end);
            lines.push_str(self.field_lines("expect", text).trim_end());
        }
        let at = self.lines_of(contract).end;
        splices.push(Splice::insert(at, lines));
        Ok(splices)
    }
}
