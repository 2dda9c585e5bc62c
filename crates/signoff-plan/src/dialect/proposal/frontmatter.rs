//! The frontmatter of a proposal.

use serde_json::{Map, Value};

use super::DIALECT;
use crate::check::{missing_field, unknown_field};
use crate::dialect::header::{self, list, text};
use crate::draft::{Draft, Spanned};
use crate::field::{self, Shape};
use crate::markdown::frontmatter::FrontmatterSpans;
use crate::node::Entry;
use crate::spelling::proposal::PLAN_NAMES;
use crate::spelling::status::plan_words;
use crate::yaml;

/// How much a frontmatter looks like that of a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProposalLikelihood {
    /// It has what no other dialect has.
    Certain,
    /// Its status is one of a proposal: the body must tell.
    Possible,
    None,
}

/// What the frontmatter says about the dialect.
pub(super) fn likelihood(text: &str, located: &FrontmatterSpans) -> ProposalLikelihood {
    let (root, _) = yaml::parse(located.yaml.slice(text), located.yaml.start);
    let Some(entries) = root.as_ref().and_then(crate::node::Node::entries) else {
        return ProposalLikelihood::None;
    };
    let word = |name: &str| {
        let entry = entries.iter().find(|entry| entry.key.value == name);
        entry.and_then(|entry| entry.value.text())
    };
    if word("type").is_some_and(|kind| kind.value == "plan") {
        return ProposalLikelihood::None;
    }
    let has_scope = entries
        .iter()
        .any(|entry| entry.key.value == "tools_required");
    if has_scope || word("id").is_some_and(|id| id.value.starts_with("PLAN-")) {
        return ProposalLikelihood::Certain;
    }
    match word("status") {
        Some(word) if plan_words(DIALECT).contains(&word.value.as_str()) => {
            ProposalLikelihood::Possible
        }
        _ => ProposalLikelihood::None,
    }
}

/// Reads the fields of the frontmatter.
pub(super) fn read(text: &str, located: &FrontmatterSpans, draft: &mut Draft) {
    let entries = header::entries(text, located, draft);
    let mut others = Vec::new();
    for entry in &entries {
        if !read_field(entry, draft) {
            let found = unknown_field::ignored_key(DIALECT, &entry.key, &PLAN_NAMES);
            draft.problems.push(found);
            others.push(entry);
        }
    }
    keep_other_fields(&others, draft);
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
    header::fill(field, entry, draft);
    true
}

/// Keeps the fields of older files.
fn keep_other_fields(others: &[&Entry], draft: &mut Draft) {
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
