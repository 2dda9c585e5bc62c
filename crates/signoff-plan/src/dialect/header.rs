//! The frontmatter of dialects that are one markdown file.

use crate::check::{bad_value, frontmatter_invalid};
use crate::draft::{Draft, Spanned};
use crate::markdown::frontmatter::FrontmatterSpans;
use crate::node::{Entry, NodeKind};
use crate::yaml;

/// The keys and values of the frontmatter; none where it cannot be read, which is reported.
pub(super) fn entries(text: &str, located: &FrontmatterSpans, draft: &mut Draft) -> Vec<Entry> {
    let dialect = draft.dialect;
    draft.anchors.header = located.opening;
    if !located.closed {
        let found = frontmatter_invalid::unclosed(dialect, located.opening);
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
