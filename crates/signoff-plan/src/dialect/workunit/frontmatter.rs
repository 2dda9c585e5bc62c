//! The block between two `---` lines at the top of the file.

use super::DIALECT;
use crate::check::{bad_value, frontmatter_invalid, unknown_field};
use crate::draft::{Draft, Spanned};
use crate::field::{Place, of_plan};
pub(super) use crate::markdown::frontmatter::{Located, locate};
use crate::model::PLAN_RECORD;
use crate::node::{Entry, Kind};
use crate::spelling::workunit::HEADER_NAMES;
use crate::yaml;

/// Reads the fields of the frontmatter.
pub(super) fn read(text: &str, located: &Located, draft: &mut Draft) {
    draft.anchors.header = located.opening;
    if !located.closed {
        draft
            .problems
            .push(frontmatter_invalid::unclosed(DIALECT, located.opening));
        return;
    }
    draft.anchors.insert_status = Some(located.yaml.end);
    let (root, problems) = yaml::parse(located.yaml.slice(text), located.yaml.start);
    for problem in problems {
        draft
            .problems
            .push(frontmatter_invalid::yaml(DIALECT, &problem));
    }
    let Some(root) = root else {
        return;
    };
    match root.entries() {
        Some(entries) => entries.iter().for_each(|entry| field(entry, draft)),
        None => {
            let found = frontmatter_invalid::no_mapping(DIALECT, root.span, root.describe());
            draft.problems.push(found);
        }
    }
}

fn field(entry: &Entry, draft: &mut Draft) {
    match entry.key.value.as_str() {
        "type" => kind(entry, draft),
        "params" => params(entry, draft),
        "record" => record(entry, draft),
        key if HEADER_NAMES.contains(&key) => {
            let value = text(entry, draft);
            let field = DIALECT.plan_field(key).and_then(of_plan);
            if let Some(Place::One(place)) = field.and_then(|field| field.shape.place(draft)) {
                *place = value;
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

/// The text of a field. One without a value is kept as empty text, so that it can be filled in.
fn text(entry: &Entry, draft: &mut Draft) -> Option<Spanned<String>> {
    if entry.value.kind == Kind::Null {
        return Some(Spanned::new(String::new(), entry.key.span));
    }
    if let Some(text) = entry.value.text() {
        return Some(text);
    }
    let found = bad_value::no_text(
        DIALECT,
        &entry.key,
        entry.value.span,
        entry.value.describe(),
    );
    draft.problems.push(found);
    None
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
