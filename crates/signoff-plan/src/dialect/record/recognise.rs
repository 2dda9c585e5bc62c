//! Tells a record from other files by its keys, without reading it.

use crate::json::{self, ObjectKeys};
use crate::source::{Source, text_from};
use crate::suggest::nearest;

/// Fields that only a record has.
const OF_PLAN: [&str; 6] = [
    "task",
    "currentStepIndex",
    "createdBy",
    "updatedAt",
    "previousPlanId",
    "metadata",
];
const OF_STEP: [&str; 5] = [
    "index",
    "suggestedAgent",
    "instructions",
    "acceptanceCriteria",
    "executedBy",
];

/// Whether this content is of this dialect: keys and values with `steps`, and either a `task` or steps
/// that have an index or a description.
pub(in crate::dialect) fn recognise(source: &Source) -> bool {
    let text = source.text();
    let text = text_from(text, source.byte_order_mark_len());
    match json::outline(text) {
        Some(outline) => outline.steps && is_record(&outline),
        None => yaml(text),
    }
}

/// Whether these keys are those of a record.
pub(in crate::dialect) fn is_record(outline: &ObjectKeys<'_>) -> bool {
    let step = |names: &[&str]| outline.step_keys.iter().any(|key| is_near(key, names));
    outline.keys.iter().any(|key| is_near(key, &OF_PLAN))
        || step(&OF_STEP)
        // Steps that are known by an id have a description in the other dialect too.
        || (step(&["description"]) && !outline.step_keys.contains(&"id"))
}

/// Fields of the other dialect that a slip of the pen would not be.
const OF_OTHERS: [&str; 4] = ["taskId", "createdAt", "version", "order"];

fn is_near(key: &str, names: &[&str]) -> bool {
    let slip = !OF_OTHERS.contains(&key) && nearest(key, names.iter().copied()).is_some();
    slip || names.contains(&key)
}

/// After so many lines of steps the rest will look the same.
const LINES: usize = 200;

/// Looks at the keys of YAML in block style. Prose ends the search: a key must come first.
fn yaml(text: &str) -> bool {
    let mut outline = ObjectKeys::default();
    let mut lines_of_steps = 0;
    for (number, line) in text.lines().enumerate() {
        let marker = line.trim_end();
        if marker == "---" && number == 0 {
            continue;
        }
        // Frontmatter of markdown, or a second document.
        if matches!(marker, "---" | "...") {
            break;
        }
        let content = line.trim_start_matches([' ', '-', '\t']);
        if content.is_empty() || content.starts_with('#') || marker.is_empty() {
            continue;
        }
        let top = content.len() == line.len();
        match key(content) {
            Some(name) if top => {
                outline.steps |= json::is_steps(name) && begins_list(content);
                outline.keys.push(name);
            }
            // Nothing of YAML stands there before a key, and a text goes on indented.
            None if top => return false,
            Some(name) if outline.steps => outline.step_keys.push(name),
            _ => {}
        }
        lines_of_steps += usize::from(outline.steps);
        if lines_of_steps > LINES {
            break;
        }
    }
    outline.steps && is_record(&outline)
}

/// Whether a list can follow the key of a line.
fn begins_list(line: &str) -> bool {
    let value = line.split_once(':').map_or("", |(_, value)| value.trim());
    value.is_empty() || value.starts_with(['[', '#', '&', '*'])
}

/// The key that a line begins with.
fn key(line: &str) -> Option<&str> {
    let (name, rest) = line.split_once(':')?;
    let name = name.trim_matches(['"', '\'']);
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_key = !name.is_empty() && name.chars().all(part);
    (is_key && (rest.is_empty() || rest.starts_with([' ', '\t', '\r']))).then_some(name)
}
