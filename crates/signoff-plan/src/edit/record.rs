//! Edits of the dialect `record`: YAML or JSON.

use serde_json::Value;

use super::keyed::{KeyChange, KeyedFile, PathSegment};
use super::{Edit, EditRefused, Splice};
use crate::draft::Draft;
use crate::field;
use crate::source::Source;
use crate::spelling::status::{is_done, plan_words, step_words};

/// What to write where, for one change.
pub(super) fn edit(
    source: &Source,
    draft: &Draft,
    edit: &Edit,
) -> Result<Vec<Splice>, EditRefused> {
    let file = KeyedFile::new(source, draft)?;
    let changes = match edit {
        Edit::SetPlan { field, value } => vec![plan(&file, field, value.clone())?],
        Edit::SetStep { step, field, value } => {
            step_changes(&file, &file.way_to(step)?, field, value.clone())?
        }
        Edit::Reject { .. } => return Err(EditRefused::NoPlace("rejections".to_owned())),
    };
    file.checked_splices(&changes)
}

/// The dialect does not have a field.
pub(super) fn no_place(field: &str) -> EditRefused {
    EditRefused::NoPlace(format!("`{field}`"))
}

/// A field of the plan, under the name that the dialect has for it.
pub(super) fn plan(
    file: &KeyedFile<'_>,
    name: &str,
    value: Value,
) -> Result<KeyChange, EditRefused> {
    let dialect = file.draft.dialect;
    let field = field::plan_name(name).ok_or_else(|| no_place(name))?;
    let key = dialect.plan_key(field).ok_or_else(|| no_place(name))?;
    if let ("status", Some(word)) = (field, value.as_str())
        && !plan_words(dialect).contains(&word)
    {
        return Err(EditRefused::UnknownStatus(word.to_owned()));
    }
    Ok(file.change(&[], key, value))
}

/// The word of this dialect for a step's status.
pub(super) fn status(file: &KeyedFile<'_>, done: &str, value: Value) -> Result<Value, EditRefused> {
    let Value::String(word) = value else {
        return Ok(value);
    };
    let word = if is_done(&word) { done } else { &word };
    if step_words(file.draft.dialect).contains(&word) {
        Ok(Value::from(word))
    } else {
        Err(EditRefused::UnknownStatus(word.to_owned()))
    }
}

fn step_changes(
    file: &KeyedFile<'_>,
    way: &[PathSegment],
    name: &str,
    value: Value,
) -> Result<Vec<KeyChange>, EditRefused> {
    let known = field::step_name(name).ok_or_else(|| no_place(name))?;
    let key = file.draft.dialect.step_key(known);
    let key = key.ok_or_else(|| no_place(name))?;
    let mut changes: Vec<_> = keep_title(file, way, known).into_iter().collect();
    let (key, value) = match known {
        "status" => (key, status(file, "complete", value)?),
        "depends_on" => (key, indexes(file, value)?),
        // The description of a question is its title.
        "title"
            if file.has(way, "ask") && file.has(way, "description") && !file.has(way, "title") =>
        {
            ("description", value)
        }
        _ => (key, value),
    };
    changes.push(file.change(way, key, value));
    Ok(changes)
}

/// A title that comes from what is about to change is written down first.
fn keep_title(file: &KeyedFile<'_>, way: &[PathSegment], name: &str) -> Option<KeyChange> {
    let from = match name {
        "task" => !file.has(way, "ask"),
        "question" => file.has(way, "ask") && !file.has(way, "description"),
        "id" => !file.has(way, "description") && !file.has(way, "ask"),
        _ => false,
    };
    if !from || file.has(way, "title") {
        return None;
    }
    let Some(PathSegment::Item(position)) = way.get(1) else {
        return None;
    };
    let steps = file.steps();
    let (_, step) = steps.values().find(|(at, _)| at == position)?;
    Some(KeyChange::new(
        way,
        "title",
        Value::from(step.title.value.as_str()),
    ))
}

/// Ids of steps as the indexes they have.
fn indexes(file: &KeyedFile<'_>, value: Value) -> Result<Value, EditRefused> {
    let Value::Array(ids) = value else {
        return Ok(value);
    };
    let steps = file.steps();
    let index = |id: &Value| {
        let id = id.as_str().unwrap_or_default();
        let position = steps.get(id).map(|(position, _)| *position);
        let index = position.and_then(|position| {
            let way = [
                PathSegment::Key("steps"),
                PathSegment::Item(position),
                PathSegment::Key("index"),
            ];
            super::keyed::at(&file.root, &way).map(crate::node::Node::to_json)
        });
        index.ok_or_else(|| EditRefused::UnknownStep(id.to_owned()))
    };
    ids.iter()
        .map(index)
        .collect::<Result<Vec<_>, _>>()
        .map(Value::Array)
}
