//! `tasks/NN-slug.md`: one task.

use serde_json::Value;

use super::fields::Fields;
use super::{DIALECT, File, TASKS};
use crate::check::bad_filename::kebab_case;
use crate::check::{frontmatter_missing, missing_field};
use crate::diagnostic::Diagnostic;
use crate::draft::{Contract, Draft, Spanned, Step};
use crate::source::Span;

/// The fields of a task: the seed's, then ours.
pub(crate) const FIELDS: [&str; 17] = [
    "id",
    "depends_on",
    "agent",
    "subtasks",
    "title",
    "contract",
    "expect",
    "on_fail",
    "produces",
    "protects",
    "tools",
    "timeout",
    "priority",
    "estimated_effort",
    "tags",
    "approval",
    "when",
];

/// Reads the file and adds its task to the draft.
pub(super) fn read(file: &File<'_>, draft: &mut Draft) {
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

fn task(file: &File<'_>, problems: &mut Vec<Diagnostic>) -> Step {
    let first_line = file.first_line();
    let located = file.frontmatter();
    let body = located.map_or(file.start, |located| located.body);
    let (task, span) = file.body(body);
    let mut step = Step {
        span: Span::new(file.start, file.text.len()),
        heading: first_line,
        task: Some(Spanned::new(task, span)),
        ..Step::default()
    };
    match located {
        Some(located) => {
            if let Some(fields) = Fields::read(file, &located, &FIELDS, problems) {
                fill(&fields, &mut step, problems);
                if fields.whole && !fields.has("id") {
                    let place = fields.key("id").unwrap_or(located.opening);
                    let fix = (located.yaml.end, slug(file));
                    let found = missing_field::task_id(DIALECT, place, file.name, (fix.0, &fix.1));
                    problems.push(found);
                }
            }
        }
        None => {
            let slug = slug(file);
            let example = (
                "id",
                if slug.is_empty() {
                    "task"
                } else {
                    slug.as_str()
                },
            );
            let found = frontmatter_missing::file(DIALECT, first_line, file.name, example);
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
fn slug(file: &File<'_>) -> String {
    let name = file.name.strip_prefix(TASKS).unwrap_or(file.name);
    let name = name.strip_suffix(".md").unwrap_or(name);
    let words = name.trim_start_matches(|c: char| c.is_ascii_digit());
    kebab_case(words)
}

fn fill(fields: &Fields<'_>, step: &mut Step, problems: &mut Vec<Diagnostic>) {
    step.id = fields.text("id", problems);
    step.title = fields.text("title", problems).unwrap_or_default();
    step.depends_on = fields.list("depends_on", problems);
    step.target = fields.text("agent", problems);
    step.subtasks = fields.list("subtasks", problems).unwrap_or_default();
    step.on_fail = fields.text("on_fail", problems);
    step.produces = fields.list("produces", problems).unwrap_or_default();
    step.protects = fields.list("protects", problems).unwrap_or_default();
    step.tools = fields.list("tools", problems);
    step.timeout = fields.text("timeout", problems);
    step.approval = fields.text("approval", problems);
    step.when = fields.text("when", problems);
    for name in ["priority", "estimated_effort"] {
        let value = fields.text(name, problems);
        step.record
            .extend(value.map(|text| (name, text.map(Value::from))));
    }
    if let Some(tags) = fields
        .list("tags", problems)
        .filter(|tags| !tags.is_empty())
    {
        let span = tags.iter().map(|tag| tag.span).reduce(Span::to);
        let tags = tags.into_iter().map(|tag| tag.value).collect();
        step.record
            .push(("tags", Spanned::new(tags, span.unwrap_or_default())));
    }
    contract(fields, step, problems);
}

fn contract(fields: &Fields<'_>, step: &mut Step, problems: &mut Vec<Diagnostic>) {
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
            step.contract = Some(Contract {
                span: label,
                command,
                expect,
                ..Contract::default()
            });
        }
        None => {
            step.contract_missing_command = true;
            if problems.len() == already {
                problems.push(missing_field::command(DIALECT, label));
            }
        }
    }
}
