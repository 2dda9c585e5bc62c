//! The block between two `---` lines at the top of the file.

use super::DIALECT;
use crate::check::{bad_value, unknown_field};
use crate::dialect::header::{self, text};
use crate::draft::{Draft, Spanned};
use crate::field::of_plan;
pub(super) use crate::markdown::frontmatter::{FrontmatterSpans, find_frontmatter};
use crate::model::PLAN_RECORD;
use crate::node::Entry;
use crate::spelling::workunit::HEADER_NAMES;

/// Reads the fields of the frontmatter.
pub(super) fn read(text: &str, located: &FrontmatterSpans, draft: &mut Draft) {
    for entry in header::entries(text, located, draft) {
        field(&entry, draft);
    }
}

fn field(entry: &Entry, draft: &mut Draft) {
    match entry.key.value.as_str() {
        "type" => kind(entry, draft),
        "params" => params(entry, draft),
        "record" => record(entry, draft),
        key if HEADER_NAMES.contains(&key) => {
            if let Some(field) = DIALECT.plan_field(key).and_then(of_plan) {
                header::fill(field, entry, draft);
            }
        }
        _ => {
            let found = unknown_field::key(DIALECT, &entry.key, &HEADER_NAMES);
            draft.problems.push(found);
        }
    }
}

fn kind(entry: &Entry, draft: &mut Draft) {
    let Some(word) = text(entry, draft) else {
        return;
    };
    if !matches!(word.value.as_str(), "" | "plan") {
        draft.problems.push(bad_value::type_of_file(DIALECT, &word));
    }
    draft.kind = Some(word);
}

/// What a field that is a mapping holds.
fn members<'e>(entry: &'e Entry, draft: &mut Draft) -> Option<&'e [Entry]> {
    let entries = entry.value.entries();
    if entries.is_none() {
        let found = entry.value.describe();
        let found = bad_value::no_mapping(DIALECT, &entry.key, entry.value.span, found);
        draft.problems.push(found);
    }
    entries
}

fn params(entry: &Entry, draft: &mut Draft) {
    if let Some(entries) = members(entry, draft) {
        let pairs = entries
            .iter()
            .map(|param| (param.key.clone(), param.value.to_json()));
        draft.params = pairs.collect();
    }
}

/// What other dialects keep about a plan and this one has no field for.
fn record(entry: &Entry, draft: &mut Draft) {
    for field in members(entry, draft).unwrap_or_default() {
        let known = PLAN_RECORD.iter().find(|name| **name == field.key.value);
        match known {
            Some(name) => {
                let value = Spanned::new(field.value.to_json(), field.value.span);
                draft.record.push((name, value));
            }
            None => {
                let found = unknown_field::key(DIALECT, &field.key, &PLAN_RECORD);
                draft.problems.push(found);
            }
        }
    }
}
