//! The frontmatter of a proposal.

use serde_json::{Map, Value};

use super::DIALECT;
use crate::check::{bad_value, frontmatter_invalid, missing_field, unknown_field};
use crate::draft::{Draft, Spanned};
use crate::field::{self, Place, Shape};
use crate::markdown::frontmatter::Located;
use crate::node::{Entry, Kind};
use crate::spelling::proposal::PLAN_NAMES;
use crate::spelling::status::plan_words;
use crate::yaml;

/// How much a frontmatter looks like that of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Signs {
    /// It has what no other dialect has.
    Certain,
    /// Its status is one of a proposal: the body must tell.
    Possible,
    None,
}

/// What the frontmatter says about the dialect.
pub(super) fn signs(text: &str, located: &Located) -> Signs {
    let (root, _) = yaml::parse(located.yaml.slice(text), located.yaml.start);
    let Some(entries) = root.as_ref().and_then(crate::node::Node::entries) else {
        return Signs::None;
    };
    let word = |name: &str| {
        let entry = entries.iter().find(|entry| entry.key.value == name);
        entry.and_then(|entry| entry.value.text())
    };
    if word("type").is_some_and(|kind| kind.value == "plan") {
        return Signs::None;
    }
    let has_scope = entries
        .iter()
        .any(|entry| entry.key.value == "tools_required");
    if has_scope || word("id").is_some_and(|id| id.value.starts_with("PLAN-")) {
        return Signs::Certain;
    }
    match word("status") {
        Some(word) if plan_words(DIALECT).contains(&word.value.as_str()) => Signs::Possible,
        _ => Signs::None,
    }
}

/// Reads the fields of the frontmatter.
pub(super) fn read(text: &str, located: &Located, draft: &mut Draft) {
    draft.anchors.header = located.opening;
    if !located.closed {
        let found = frontmatter_invalid::unclosed(DIALECT, located.opening);
        draft.problems.push(found);
        return;
    }
    draft.anchors.insert_status = Some(located.yaml.end);
    let (root, problems) = yaml::parse(located.yaml.slice(text), located.yaml.start);
    let problems = problems
        .iter()
        .map(|found| frontmatter_invalid::yaml(DIALECT, found));
    draft.problems.extend(problems);
    let Some(root) = root else {
        return;
    };
    let Some(entries) = root.entries() else {
        let found = frontmatter_invalid::no_mapping(DIALECT, root.span, root.describe());
        draft.problems.push(found);
        return;
    };
    let mut others = Vec::new();
    for entry in entries {
        if !read_field(entry, draft) {
            let found = unknown_field::kept_key(DIALECT, &entry.key, &PLAN_NAMES);
            draft.problems.push(found);
            others.push(entry);
        }
    }
    keep(&others, draft);
}

/// Reads a field; whether it is one.
fn read_field(entry: &Entry, draft: &mut Draft) -> bool {
    let Some(name) = DIALECT.plan_field(&entry.key.value) else {
        return false;
    };
    let Some(field) = field::of_plan(name) else {
        let value = text(entry, draft).filter(|text| !text.value.is_empty());
        let value = value.map(|text| (name, text.map(Value::from)));
        draft.record.extend(value);
        return true;
    };
    if matches!(field.shape, Shape::Scope(_)) {
        draft.tools = Some(list(entry, draft));
        return true;
    }
    let value = text(entry, draft);
    if let Some(Place::One(place)) = field.shape.place(draft) {
        *place = value;
    }
    true
}

/// The text of a field. One without a value is kept as empty text, so that it can be filled in.
fn text(entry: &Entry, draft: &mut Draft) -> Option<Spanned<String>> {
    if entry.value.kind == Kind::Null {
        return Some(Spanned::new(String::new(), entry.key.span));
    }
    let text = entry.value.text();
    if text.is_none() {
        let (span, found) = (entry.value.span, entry.value.describe());
        let problem = bad_value::no_text(DIALECT, &entry.key, span, found);
        draft.problems.push(problem);
    }
    text
}

fn list(entry: &Entry, draft: &mut Draft) -> Vec<Spanned<String>> {
    match &entry.value.kind {
        Kind::Null => Vec::new(),
        Kind::Sequence(items) => {
            let mut texts = Vec::new();
            for item in items {
                match item.text() {
                    Some(text) => texts.push(text),
                    None => {
                        let found = item.describe();
                        let found = bad_value::no_text(DIALECT, &entry.key, item.span, found);
                        draft.problems.push(found);
                    }
                }
            }
            texts
        }
        Kind::Scalar { .. } | Kind::Mapping(_) => {
            let found = bad_value::no_list(DIALECT, &entry.key, &entry.value);
            draft.problems.push(found);
            entry.value.text().into_iter().collect()
        }
    }
}

/// Keeps the fields of older files.
fn keep(others: &[&Entry], draft: &mut Draft) {
    let Some(first) = others.first() else {
        return;
    };
    let pairs = others
        .iter()
        .map(|entry| (entry.key.value.clone(), entry.value.to_json()));
    let value = Value::Object(pairs.collect::<Map<_, _>>());
    draft
        .record
        .push(("other", Spanned::new(value, first.key.span)));
}

/// The scope is exactly what is listed: nothing, where nothing is.
pub(super) fn scope(draft: &mut Draft) {
    if draft.tools.is_some() {
        return;
    }
    draft.tools = Some(Vec::new());
    let Some(end) = draft.anchors.insert_status else {
        return;
    };
    let mut named: Vec<&str> = Vec::new();
    let tools = draft
        .steps
        .iter()
        .filter_map(|step| step.hint.tool.as_ref());
    for tool in tools {
        if !named.contains(&tool.value.as_str()) && named.len() < 20 {
            named.push(&tool.value);
        }
    }
    if !named.is_empty() {
        let found = missing_field::scope(DIALECT, draft.anchors.header, end, &named);
        draft.problems.push(found);
    }
}
