//! One step.

use super::DIALECT;
use super::index::{IndexedSteps, StepIndexes};
use crate::check::{bad_value, missing_field};
use crate::dialect::object::{ObjectReader, whole};
use crate::draft::{DraftStep, Spanned};
use crate::node::{Entry, Node, NodeKind};
use crate::source::Span;

/// Reads an item of `steps`, if it is a step at all, and adds it to those before.
pub(super) fn read(reader: &mut ObjectReader<'_>, node: Node, before: &mut IndexedSteps) {
    let position = before.steps.len() + 1;
    let span = node.span;
    let NodeKind::Mapping(entries) = node.kind else {
        let item = Spanned::new("steps[…]".to_owned(), span);
        reader.report_wrong_kind(&item, &node, "keys and values");
        return;
    };
    let first = reader.problems.len();
    let heading = entries
        .first()
        .map_or(Span::at(span.start), |entry| entry.key.span);
    // A step is large: it is filled where it stays.
    before.steps.push(DraftStep {
        span,
        heading,
        ..DraftStep::default()
    });
    let Some(step) = before.steps.last_mut() else {
        return;
    };
    let mut read = StepIndexes::default();
    let mut description = None;
    for entry in entries {
        field(reader, entry, step, &mut read, &mut description);
    }
    lower(reader, step, &read, description, position);
    if reader.problems.len() > first {
        let id = step.id.as_ref();
        let id = id.map_or_else(|| format!("step-{position}"), |id| id.value.clone());
        for problem in reader.problems.iter_mut().skip(first) {
            problem.step = Some(id.clone());
        }
    }
    before.indexes.push(read);
}

fn field(
    reader: &mut ObjectReader<'_>,
    entry: Entry,
    step: &mut DraftStep,
    read: &mut StepIndexes,
    description: &mut Option<Spanned<String>>,
) {
    match entry.key.value.as_str() {
        "index" => {
            let index = reader.whole(&entry.key, &entry.value);
            read.index = index.map(|index| Spanned::new(index, entry.value.span));
            // One that cannot be read has been reported; it is not missing as well.
            read.unreadable = index.is_none() && !entry.value.is_nothing();
        }
        "id" => step.id = reader.text(entry),
        "title" => step.title = reader.text(entry).unwrap_or_default(),
        "description" => {
            read.undescribed = !entry.value.is_nothing();
            *description = reader.text(entry);
        }
        "suggestedAgent" => step.target = reader.text(entry),
        "dependsOn" => read.depends_on = depends_on(reader, entry),
        _ => reader.step_field(entry, step),
    }
}

/// Indexes of other steps.
fn depends_on(reader: &mut ObjectReader<'_>, entry: Entry) -> Option<Vec<Spanned<u64>>> {
    let Entry { key, value } = entry;
    let mut indexes = Vec::new();
    for item in reader.items(&key, value)? {
        let text = item.text().and_then(|text| whole(&text.value));
        match text {
            Some(index) => indexes.push(Spanned::new(index, item.inner_span(reader.source))),
            None => {
                let span = item.inner_span(reader.source);
                let span = if span.is_empty() { key.span } else { span };
                let written = item.text().map_or_else(
                    || item.describe().to_owned(),
                    |text| format!("`{}`", text.value),
                );
                reader
                    .problems
                    .push(bad_value::not_an_index(DIALECT, span, &written));
            }
        }
    }
    Some(indexes)
}

/// Uses the description as the task of an agent, or as the title of a question. A step with
/// neither description nor question only checks its contract.
fn lower(
    reader: &mut ObjectReader<'_>,
    step: &mut DraftStep,
    read: &StepIndexes,
    description: Option<Spanned<String>>,
    position: usize,
) {
    if read.index.is_none() && !read.unreadable {
        reader.problems.push(missing_field::member(
            DIALECT,
            "the step",
            &["index"],
            step.heading,
        ));
    }
    if step.title.value.is_empty() {
        let question = step.ask.as_ref().filter(|ask| !ask.value.is_empty());
        let title = description
            .as_ref()
            .filter(|text| !text.value.is_empty())
            .or(question);
        step.title = title.cloned().unwrap_or_else(|| {
            let id = step.id.clone();
            id.unwrap_or_else(|| {
                Spanned::new(format!("step-{position}"), Span::at(step.span.start))
            })
        });
    }
    if step.ask.is_some() {
        if let Some(agent) = step.target.take() {
            reader
                .problems
                .push(bad_value::ask_and_agent(DIALECT, &agent));
        }
        return;
    }
    // One of the wrong kind is reported as such, and not missing as well.
    if description.is_none() && read.undescribed {
        step.task = Some(step.title.clone());
        return;
    }
    step.task = description;
}
