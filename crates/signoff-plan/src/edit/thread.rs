//! Edits of the dialect `thread`: a directory. Each field stands in the frontmatter of its
//! own file, text in the body.

use serde_json::Value;

use super::frontmatter::Frontmatter;
use super::resolved_edit::ResolvedEdit;
use super::{Edit, EditRefused, Splice};
use crate::check::resolve::step_ids;
use crate::dialect::thread::PLAN_FILE;
use crate::draft::{Draft, Spanned};
use crate::source::{Source, text_up_to};
use crate::write::yaml::scalar;

/// What to write where, for one change.
pub(super) fn edit(
    source: &Source,
    draft: &Draft,
    edit: &Edit,
) -> Result<Vec<Splice>, EditRefused> {
    match ResolvedEdit::new(draft, edit)? {
        ResolvedEdit::Plan { name, value } => set_plan(source, draft, name, &value),
        ResolvedEdit::Step { at, name, value } => set_step(source, draft, at, name, &value),
        ResolvedEdit::Reject { .. } => Err(EditRefused::NoPlace("rejections".to_owned())),
    }
}

fn set_plan(
    source: &Source,
    draft: &Draft,
    name: &str,
    value: &Value,
) -> Result<Vec<Splice>, EditRefused> {
    let part = source.parts().iter().find(|part| part.name == PLAN_FILE);
    let missing = || EditRefused::Unreadable(format!("there is no `{PLAN_FILE}`"));
    let part = part.ok_or_else(missing)?;
    let text = text_up_to(source.text(), part.span.end);
    let file = Frontmatter::new(text, draft.anchors.header.start)?;
    match name {
        "title" => file.set("title", value),
        "context" => Ok(body(&file, draft.context.as_ref(), value)),
        other => Err(EditRefused::NoPlace(format!("`{other}` of a plan"))),
    }
}

fn set_step(
    source: &Source,
    draft: &Draft,
    at: usize,
    name: &str,
    value: &Value,
) -> Result<Vec<Splice>, EditRefused> {
    let step = draft.steps.get(at);
    let step = step.ok_or_else(|| EditRefused::NoPlace("this step".to_owned()))?;
    let text = text_up_to(source.text(), step.span.end);
    let file = Frontmatter::new(text, step.span.start)?;
    let key = match name {
        "id" => return rename(draft, &file, at, value),
        "task" if value.is_null() => {
            let why = "a task has a body that is not empty".to_owned();
            return Err(EditRefused::BadValue(why));
        }
        "task" => return Ok(body(&file, step.task.as_ref(), value)),
        "approval" => {
            let word = value.as_bool().unwrap_or_default().then_some("required");
            return file.set(name, &Value::from(word));
        }
        "contract.command" if value.is_null() => {
            // Conditions without a command would be an error.
            let mut splices = file.set("contract", value)?;
            splices.extend(file.set("expect", value)?);
            return Ok(splices);
        }
        other => {
            let no_place = || EditRefused::NoPlace(format!("`{other}` of a task"));
            draft.dialect.step_key(other).ok_or_else(no_place)?
        }
    };
    file.set(key, value)
}

/// Gives a task another id, also where others wait for it.
fn rename(
    draft: &Draft,
    file: &Frontmatter<'_>,
    at: usize,
    value: &Value,
) -> Result<Vec<Splice>, EditRefused> {
    let Some(new) = value.as_str() else {
        return Err(EditRefused::BadValue("a task has an `id`".to_owned()));
    };
    let ids = step_ids(draft);
    let old = ids.get(at).map_or("", String::as_str);
    if ids.iter().any(|id| id == new && id != old) {
        return Err(EditRefused::BadValue(format!(
            "there is a task `{new}` already"
        )));
    }
    let mut splices = file.set("id", value)?;
    // Without a title of its own the task was known by its id.
    if let Some(step) = draft.steps.get(at).filter(|_| !file.has("title")) {
        splices.extend(file.set("title", &Value::from(step.title.value.as_str()))?);
    }
    let references = draft
        .steps
        .iter()
        .flat_map(|step| step.depends_on.iter().flatten());
    let references = references.filter(|reference| reference.value == old);
    splices.extend(references.map(|reference| Splice::replace(reference.span, scalar(value))));
    Ok(splices)
}

/// What stands behind the frontmatter.
fn body(file: &Frontmatter<'_>, written: Option<&Spanned<String>>, value: &Value) -> Vec<Splice> {
    let line_end = file.line_end();
    let text = value.as_str().unwrap_or_default().replace('\n', line_end);
    match written.filter(|written| !written.value.is_empty()) {
        Some(written) => vec![Splice::replace(written.span, text)],
        None => vec![Splice::insert(
            file.body(),
            format!("{line_end}{text}{line_end}"),
        )],
    }
}

#[cfg(test)]
mod tests;
