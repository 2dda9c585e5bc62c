//! Edits of the dialect `toolplan`: JSON.

use serde_json::Value;

use super::keyed::{KeyChange, KeyedFile, PathSegment};
use super::record::{no_place, plan, status};
use super::{Edit, EditRefused, Splice};
use crate::draft::{Draft, DraftStep};
use crate::field;
use crate::source::Source;

/// Whether it is the bare reply of a planner, `{steps, estimatedDuration}`, which has no place for marks. A file that says
/// more of its plan, or how far a step is, is somebody's plan.
pub(super) fn is_bare(draft: &Draft) -> bool {
    let named = [
        &draft.id,
        &draft.version,
        &draft.title,
        &draft.context,
        &draft.budget,
    ];
    let says_more = named.into_iter().any(Option::is_some)
        || draft.tools.is_some()
        || !draft.params.is_empty()
        || !draft.approval_required_from.is_empty();
    let stored = |(name, _): &(&str, _)| *name != "estimated_duration";
    let is_marked = |step: &DraftStep| !step.marks.statuses.is_empty() || !step.record.is_empty();
    !says_more && !draft.record.iter().any(stored) && !draft.steps.iter().any(is_marked)
}

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
            step_changes(&file, &file.way_to(step)?, step, field, value.clone())?
        }
        Edit::Reject { .. } => return Err(EditRefused::NoPlace("rejections".to_owned())),
    };
    file.checked_splices(&changes)
}

fn step_changes(
    file: &KeyedFile<'_>,
    way: &[PathSegment],
    id: &str,
    name: &str,
    value: Value,
) -> Result<Vec<KeyChange>, EditRefused> {
    let known = field::step_name(name).ok_or_else(|| no_place(name))?;
    let key = file.draft.dialect.step_key(known);
    let key = key.ok_or_else(|| no_place(name))?;
    let mut changes: Vec<_> = keep_title(file, way, id, known).into_iter().collect();
    let value = match known {
        "status" => status(file, "completed", value)?,
        "id" if is_named(file.draft, id) => {
            return Err(EditRefused::NotOnlyField(
                "what other steps wait for".to_owned(),
            ));
        }
        _ => value,
    };
    changes.push(file.change(way, key, value));
    Ok(changes)
}

/// Whether another step names this one.
fn is_named(draft: &Draft, id: &str) -> bool {
    let mut named = draft
        .steps
        .iter()
        .flat_map(|step| step.depends_on.iter().flatten());
    named.any(|name| name.value == id)
}

/// A title that comes from what is about to change is written down first.
fn keep_title(
    file: &KeyedFile<'_>,
    way: &[PathSegment],
    id: &str,
    name: &str,
) -> Option<KeyChange> {
    let from = match name {
        "question" => true,
        "id" => !file.has(way, "ask"),
        _ => false,
    };
    if !from || file.has(way, "description") {
        return None;
    }
    let steps = file.steps();
    let (_, step) = steps.get(id)?;
    Some(KeyChange::new(
        way,
        "description",
        Value::from(step.title.value.as_str()),
    ))
}
