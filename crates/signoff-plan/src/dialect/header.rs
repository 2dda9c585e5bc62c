//! The frontmatter of dialects that are one markdown file.

use crate::check::{bad_value, frontmatter_invalid};
use crate::draft::{Draft, Spanned};
use crate::field::{DraftMember, FieldSpec, Shape};
use crate::markdown::frontmatter::FrontmatterSpans;
use crate::model::Plan;
use crate::node::{Entry, NodeKind};
use crate::yaml;

/// The keys and values of the frontmatter; none where it cannot be read, which is reported.
pub(super) fn entries(text: &str, located: &FrontmatterSpans, draft: &mut Draft) -> Vec<Entry> {
    let dialect = draft.dialect;
    draft.anchors.header = located.opening;
    if !located.closed {
        let found = frontmatter_invalid::unclosed_frontmatter(dialect, located.opening);
        draft.problems.push(found);
        return Vec::new();
    }
    draft.anchors.insert_status = Some(located.yaml.end);
    let (root, problems) = yaml::parse(located.yaml.slice(text), located.yaml.start);
    let problems = problems.iter();
    let problems = problems.map(|found| frontmatter_invalid::yaml(dialect, found));
    draft.problems.extend(problems);
    let Some(root) = root else {
        return Vec::new();
    };
    let what = root.describe();
    let NodeKind::Mapping(entries) = root.kind else {
        let found = frontmatter_invalid::no_mapping(dialect, root.span, what);
        draft.problems.push(found);
        return Vec::new();
    };
    entries
}

/// The text of a field. One without a value is kept as empty text, so that it can be filled in.
pub(super) fn text(entry: &Entry, draft: &mut Draft) -> Option<Spanned<String>> {
    if entry.value.kind == NodeKind::Null {
        return Some(Spanned::new(String::new(), entry.key.span));
    }
    let text = entry.value.text();
    if text.is_none() {
        let (span, found) = (entry.value.span, entry.value.describe());
        let problem = bad_value::no_text(draft.dialect, &entry.key, span, found);
        draft.problems.push(problem);
    }
    text
}

/// The items of a list; reports what is none.
pub(super) fn list(entry: &Entry, draft: &mut Draft) -> Vec<Spanned<String>> {
    match &entry.value.kind {
        NodeKind::Null => Vec::new(),
        NodeKind::Sequence(items) => {
            let mut texts = Vec::new();
            for item in items {
                match item.text() {
                    Some(text) => texts.push(text),
                    None => {
                        let found = item.describe();
                        let found = bad_value::no_text(draft.dialect, &entry.key, item.span, found);
                        draft.problems.push(found);
                    }
                }
            }
            texts
        }
        NodeKind::Scalar { .. } | NodeKind::Mapping(_) => {
            let found = bad_value::no_list(draft.dialect, &entry.key, &entry.value);
            draft.problems.push(found);
            entry.value.text().into_iter().collect()
        }
    }
}

/// Reads a field into its place.
pub(super) fn fill(field: &FieldSpec<Draft, Plan>, entry: &Entry, draft: &mut Draft) {
    if matches!(field.shape, Shape::Names(_) | Shape::Sentences(_)) {
        let items = list(entry, draft);
        if let Some(DraftMember::Many(slot)) = field.shape.member(draft) {
            *slot = items;
        }
        return;
    }
    let value = text(entry, draft);
    if let Some(DraftMember::One(slot)) = field.shape.member(draft) {
        *slot = value;
    }
}
