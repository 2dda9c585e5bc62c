//! What changed between two plans, as a reviewer wants to read it.
//!
//! Works on canonical values, so that exactly what would void a
//! signature is shown, and nothing else.

mod definition;
mod lines;
mod matching;
mod names;
mod narrowing;
mod order;
mod spelling;
mod text;

use std::collections::BTreeSet;
use std::fmt;

use serde_json::{Map, Value};

pub use self::definition::{asks_the_same, definition_hash, request_hash, text_hash};
use self::names::StepRenames;
pub use self::narrowing::only_narrows;
use self::spelling::in_plan_spelling;
pub use self::text::full_lines;
use crate::digest::canonical;
use crate::model::Plan;
use crate::source::first_line;

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Id of the step; `None` = the plan itself.
    pub step: Option<String>,
    /// Path of the field, such as `contract.command`; `step` for a whole step, `position` for a
    /// moved one. What a new step holds follows it, field by field.
    pub field: String,
    /// What it was; `None` = nothing. Of a longer text only the lines that differ.
    pub before: Option<String>,
    /// What it is; `None` = nothing. Of a longer text only the lines that differ.
    pub after: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.step, self.field.as_str()) {
            (Some(step), "step") => {
                let (verb, title) = match (&self.before, &self.after) {
                    (None, Some(title)) => ("added", title),
                    (Some(title), _) => ("removed", title),
                    (None, None) => ("changed", step),
                };
                return write!(f, "step `{step}` {verb}: {}", one_line(title));
            }
            (Some(step), "position") => write!(f, "step `{step}` moved: ")?,
            (Some(step), field) => write!(f, "step `{step}` `{field}`: ")?,
            (None, field) => write!(f, "plan `{field}`: ")?,
        }
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                let (before, after) = from_the_difference(before, after);
                write!(f, "{} → {}", one_line(&before), one_line(&after))
            }
            (None, Some(after)) => write!(f, "added {}", one_line(after)),
            (Some(before), None) => write!(f, "removed {}", one_line(before)),
            (None, None) => f.write_str("changed"),
        }
    }
}

/// Both texts from shortly before they differ, so that shortening does not hide the difference.
fn from_the_difference(before: &str, after: &str) -> (String, String) {
    const LEAD: usize = 20;
    let same = before
        .chars()
        .zip(after.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let skip = same.saturating_sub(LEAD);
    if skip == 0 || before.chars().count().max(after.chars().count()) <= LENGTH {
        return (before.to_owned(), after.to_owned());
    }
    let rest = |text: &str| {
        std::iter::once('…')
            .chain(text.chars().skip(skip))
            .collect()
    };
    (rest(before), rest(after))
}

/// How long a text may be in a one-line summary.
const LENGTH: usize = 60;

/// The first line of a text, shortened, with a sign that there is more.
fn one_line(text: &str) -> String {
    let line = first_line(text);
    let mut short: String = line.chars().take(LENGTH).collect();
    if short.len() < text.trim_end().len() {
        short.push('…');
    }
    short
}

/// Differences between two canonical plans: plan fields first, then steps in the order of the
/// newer plan, then steps that are gone.
///
/// Steps belong together by explicit id, else by equal [definition](definition_hash), else by equal
/// title; otherwise one is gone and the other new.
pub fn compare(before: &Value, after: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    let (old, new) = (without_steps(before), without_steps(after));
    let (was, is) = (in_plan_spelling(&old, &new), in_plan_spelling(&new, &old));
    fields(None, "", &was, &is, &mut changes);
    let (old, new) = (steps(before), steps(after));
    let pairs = matching::pairs(old, new);
    let names = StepRenames::new(old, new, &pairs);
    let moved = order::moved_steps(&pairs);
    for (index, step) in new.iter().enumerate() {
        let id = id(step);
        let Some((position, other)) = pairs
            .get(index)
            .copied()
            .flatten()
            .and_then(|position| Some((position, old.get(position)?)))
        else {
            changes.push(whole_step_change(id, None, Some(step)));
            content_of_new_step(id, step, &mut changes);
            continue;
        };
        if moved.contains(&index) {
            changes.push(position_change(id, position, index));
        }
        let (mut was, mut is) = (object(other), object(step));
        names.align(&mut was, &mut is, position, index);
        let (was, is) = (in_plan_spelling(&was, &is), in_plan_spelling(&is, &was));
        fields(Some(id), "", &was, &is, &mut changes);
    }
    let kept: BTreeSet<usize> = pairs.iter().copied().flatten().collect();
    for (position, step) in old.iter().enumerate() {
        if !kept.contains(&position) {
            changes.push(whole_step_change(id(step), Some(step), None));
        }
    }
    changes
}

/// For each step of the newer plan the position of the same step in the older one, as [`compare`]
/// sees it.
pub fn pairs(before: &Plan, after: &Plan) -> Vec<Option<usize>> {
    let (before, after) = (canonical(before), canonical(after));
    matching::pairs(steps(&before), steps(&after))
}

fn without_steps(plan: &Value) -> Map<String, Value> {
    let mut members = object(plan);
    // Steps are compared separately, and the schema is not content.
    members.retain(|name, _| name != "steps" && name != "schema");
    members
}

fn steps(plan: &Value) -> &[Value] {
    let steps = plan.get("steps").and_then(Value::as_array);
    steps.map(Vec::as_slice).unwrap_or_default()
}

fn id(step: &Value) -> &str {
    step.get("id").and_then(Value::as_str).unwrap_or_default()
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn whole_step_change(id: &str, before: Option<&Value>, after: Option<&Value>) -> Change {
    let title = |step: &Value| {
        let title = step.get("title").and_then(Value::as_str);
        title.unwrap_or_default().to_owned()
    };
    Change {
        step: Some(id.to_owned()),
        field: "step".to_owned(),
        before: before.map(title),
        after: after.map(title),
    }
}

/// Whoever signs a new step signs all that is in it, and not its title.
fn content_of_new_step(id: &str, step: &Value, changes: &mut Vec<Change>) {
    let nothing = Map::new();
    let mut members = object(step);
    members.retain(|name, _| name != "id" && name != "title");
    let is = in_plan_spelling(&members, &nothing);
    fields(Some(id), "", &nothing, &is, changes);
}

fn position_change(id: &str, before: usize, after: usize) -> Change {
    Change {
        step: Some(id.to_owned()),
        field: "position".to_owned(),
        before: Some((before + 1).to_string()),
        after: Some((after + 1).to_string()),
    }
}

/// Compares two objects member by member; objects inside are compared in the same way.
fn fields(
    step: Option<&str>,
    prefix: &str,
    before: &Map<String, Value>,
    after: &Map<String, Value>,
    changes: &mut Vec<Change>,
) {
    let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    for name in names {
        let (old, new) = (before.get(name), after.get(name));
        if old == new {
            continue;
        }
        let path = format!("{prefix}{name}");
        // Tool arguments and parameters are the author's own shape: shown whole.
        let ours = !matches!(name.as_str(), "args" | "params");
        let nothing = Map::new();
        match (old, new) {
            (Some(Value::Object(old)), Some(Value::Object(new))) if ours => {
                fields(step, &format!("{path}."), old, new, changes);
            }
            (Some(Value::Object(old)), None) if ours => {
                fields(step, &format!("{path}."), old, &nothing, changes);
            }
            (None, Some(Value::Object(new))) if ours => {
                fields(step, &format!("{path}."), &nothing, new, changes);
            }
            _ => changes.push(field_change(step, path, old, new)),
        }
    }
}

fn field_change(
    step: Option<&str>,
    field: String,
    before: Option<&Value>,
    after: Option<&Value>,
) -> Change {
    let (before, after) = (before.map(value_text), after.map(value_text));
    let (before, after) = match (before, after) {
        (Some(old), Some(new)) if old.contains('\n') || new.contains('\n') => {
            let (old, new) = lines::differing_lines(&old, &new);
            (Some(old), Some(new))
        }
        other => other,
    };
    Change {
        step: step.map(str::to_owned),
        field,
        before,
        after,
    }
}

/// A value as text: strings as they are, lists of strings one per line.
fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(value_text).collect();
            items.join("\n")
        }
        Value::Object(_) => crate::digest::canonical_json(value),
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests;
