//! Comments as people read them.

use signoff_api::comments::Comment;
use signoff_api::plan_log::CommentKind;

use crate::style::{CARE, DIM, paint, sanitize};

/// A comment: who, about what, and the words.
pub(crate) fn comment_lines(comment: &Comment) -> Vec<String> {
    let about = match (&comment.step, comment.is_step_gone) {
        (None, _) => String::new(),
        (Some(step), false) => format!(" on `{}`", sanitize(step)),
        (Some(step), true) => format!(" on `{}`, which is gone", sanitize(step)),
    };
    let severity = comment
        .severity
        .map(|severity| format!(" ({})", severity.name()));
    let kind = match comment.kind {
        CommentKind::Comment => String::new(),
        CommentKind::Objection => {
            let severity = severity.unwrap_or_default();
            format!(" {}", paint(CARE, format!("objects{severity}")))
        }
    };
    let resolved = comment.resolved_by.as_ref();
    let resolved = resolved.map(|by| format!(" · resolved by {}", sanitize(by)));
    let head = format!(
        "{} {}{kind}{about} {}{}",
        comment.id,
        sanitize(&comment.by),
        paint(DIM, &comment.at),
        resolved.unwrap_or_default(),
    );
    let words = comment.text.lines();
    let words = words.map(|line| format!("    {}", sanitize(line)));
    std::iter::once(head).chain(words).collect()
}
