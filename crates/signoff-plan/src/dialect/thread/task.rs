//! `tasks/NN-slug.md`: one task.

use serde_json::Value;

use super::fields::FileFields;
use super::{DIALECT, TASKS, ThreadFile};
use crate::check::bad_filename::kebab_case;
use crate::check::{frontmatter_missing, missing_field};
use crate::diagnostic::Diagnostic;
use crate::draft::{Draft, DraftContract, DraftStep, Spanned};
use crate::field::{self, DraftMember, MetadataShape};
use crate::model::STEP_RECORD;
use crate::source::Span;
use crate::spelling::thread::{STEP, STEP_NAMES};

/// Reads the file and adds its task to the draft.
pub(super) fn read(file: &ThreadFile<'_>, draft: &mut Draft) {
    let mut problems = Vec::new();
    let step = task(file, &mut problems);
    let position = draft.steps.len() + 1;
    let id = match &step.id {
        Some(id) => id.value.clone(),
        None => format!("step-{position}"),
    };
    let problems = problems.into_iter().map(|found| found.step(id.clone()));
    draft.problems.extend(problems);
    draft.steps.push(step);
}

fn task(file: &ThreadFile<'_>, problems: &mut Vec<Diagnostic>) -> DraftStep {
    let first_line = file.first_line();
    let located = file.frontmatter();
    let body = located.map_or(file.start, |located| located.body);
    let (task, span) = file.body(body);
    let mut step = DraftStep {
        span: Span::new(file.start, file.text.len()),
        heading: first_line,
        task: Some(Spanned::new(task, span)),
        ..DraftStep::default()
    };
    match located {
        Some(located) => {
            if let Some(fields) = FileFields::read(file, &located, &STEP_NAMES, problems) {
                fill(&fields, &mut step, problems);
                if fields.whole && !fields.has("id") {
                    let span = fields.key("id").unwrap_or(located.opening);
                    let (id, end) = (slug_of_file(file), located.yaml.end);
                    let found = missing_field::task_id(DIALECT, span, file.name, &id, end);
                    problems.push(found);
                }
            }
        }
        None => {
            let slug = slug_of_file(file);
            let id = if slug.is_empty() { "task" } else { &slug };
            let found = frontmatter_missing::file(DIALECT, first_line, file.name, "id", id);
            problems.push(found);
        }
    }
    if step.title.value.is_empty() {
        let unnamed = || Spanned::new(file.name.to_owned(), first_line);
        step.title = step.id.clone().unwrap_or_else(unnamed);
    }
    step
}

/// The words of a file's name, which would make a good id.
fn slug_of_file(file: &ThreadFile<'_>) -> String {
    let name = file.name.strip_prefix(TASKS).unwrap_or(file.name);
    let name = name.strip_suffix(".md").unwrap_or(name);
    let words = name.trim_start_matches(|c: char| c.is_ascii_digit());
    kebab_case(words)
}

fn fill(fields: &FileFields<'_>, step: &mut DraftStep, problems: &mut Vec<Diagnostic>) {
    step.id = fields.text("id", problems);
    step.title = fields.text("title", problems).unwrap_or_default();
    step.depends_on = fields.list("depends_on", problems);
    step.target = fields.text("agent", problems);
    let given = STEP.iter().filter(|key| fields.key(key.key).is_some());
    for (key, name) in given.filter_map(|key| Some((key.key, key.field?))) {
        let Some(field) = field::of_step(name) else {
            if STEP_RECORD.contains(&name) {
                step.record.extend(metadata(fields, name, problems));
            }
            continue;
        };
        match field.shape.member(step) {
            Some(DraftMember::One(slot)) => *slot = fields.text(key, problems),
            Some(DraftMember::Many(slot)) => {
                *slot = fields.list(key, problems).unwrap_or_default();
            }
            Some(DraftMember::Scope(slot)) => *slot = fields.list(key, problems),
            None => {}
        }
    }
    read_contract(fields, step, problems);
}

/// What is kept and decides nothing.
fn metadata(
    fields: &FileFields<'_>,
    name: &'static str,
    problems: &mut Vec<Diagnostic>,
) -> Option<(&'static str, Spanned<Value>)> {
    if field::metadata_shape(name) != MetadataShape::List {
        return Some((name, fields.text(name, problems)?.map(Value::from)));
    }
    let items = fields.list(name, problems)?;
    let span = items.iter().map(|item| item.span).reduce(Span::to)?;
    let items = items.into_iter().map(|item| item.value).collect();
    Some((name, Spanned::new(items, span)))
}

fn read_contract(fields: &FileFields<'_>, step: &mut DraftStep, problems: &mut Vec<Diagnostic>) {
    let expect = fields.list_or_text("expect", problems);
    let Some(label) = fields.key("contract") else {
        if let Some(first) = expect.first() {
            problems.push(missing_field::contract_for(DIALECT, "expect", first.span));
        }
        return;
    };
    let already = problems.len();
    match fields.command("contract", problems) {
        Some(command) => {
            step.contract = Some(Box::new(DraftContract {
                span: label,
                command,
                expect,
                ..DraftContract::default()
            }));
        }
        None => {
            step.contract_missing_command = true;
            if problems.len() == already {
                problems.push(missing_field::command(DIALECT, label));
            }
        }
    }
}
