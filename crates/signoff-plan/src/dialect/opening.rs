//! How a plan that is one markdown file begins: frontmatter, then a document.

use super::Dialect;
use crate::check::{frontmatter_missing, unterminated_fence};
use crate::draft::Draft;
use crate::markdown::Document;
use crate::markdown::frontmatter::{FrontmatterSpans, find_frontmatter};
use crate::source::{Source, Span};

/// Reads the frontmatter as `read` does, and divides the rest into its parts.
pub(super) fn open(
    source: &Source,
    dialect: Dialect,
    read: fn(&str, &FrontmatterSpans, &mut Draft),
) -> (Draft, Document<'_>) {
    let text = source.text();
    let start = source.byte_order_mark_len();
    let mut draft = Draft::empty(dialect);
    let body = match find_frontmatter(text, start) {
        Some(located) => {
            read(text, &located, &mut draft);
            located.body
        }
        None => {
            let first_line = text.get(start..).and_then(|rest| rest.lines().next());
            let span = Span::new(start, start + first_line.map_or(0, str::len));
            draft.anchors.header = span;
            draft.problems.push(frontmatter_missing::of(dialect, span));
            start
        }
    };
    draft.anchors.body = Span::at(body);
    let document = Document::new(text, body);
    draft
        .problems
        .extend(unterminated_fence::in_document(dialect, &document));
    (draft, document)
}
