//! `plan.md`: the title and the narrative.

use super::fields::FileFields;
use super::{DIALECT, ThreadFile};
use crate::check::frontmatter_missing;
use crate::draft::{Draft, Spanned};
use crate::source::Span;
use crate::spelling::thread::PLAN_NAMES;

/// Reads the file.
pub(super) fn read(file: &ThreadFile<'_>, draft: &mut Draft) {
    let Some(located) = file.frontmatter() else {
        draft.anchors.header = file.first_line();
        let found = frontmatter_missing::file(
            DIALECT,
            file.first_line(),
            file.name,
            "title",
            "\"What this plan achieves\"",
        );
        draft.problems.push(found);
        draft.context = context(file, file.start);
        return;
    };
    draft.anchors.header = located.opening;
    draft.anchors.body = Span::at(located.body);
    let fields = FileFields::read(file, &located, &PLAN_NAMES, &mut draft.problems);
    let Some(fields) = fields else {
        return;
    };
    draft.anchors.insert_status = fields.whole.then_some(located.yaml.end);
    draft.title = fields.text("title", &mut draft.problems);
    if draft.title.is_none() {
        // There, but without a value.
        let empty = |span| Spanned::new(String::new(), span);
        draft.title = fields.key("title").map(empty);
    }
    draft.context = context(file, located.body);
}

fn context(file: &ThreadFile<'_>, from: usize) -> Option<Spanned<String>> {
    let (text, span) = file.body(from);
    (!text.is_empty()).then(|| Spanned::new(text, span))
}
