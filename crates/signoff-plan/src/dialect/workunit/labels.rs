//! Bold labels: `**name:** value`.

use crate::draft::Spanned;
use crate::markdown::{Document, Line, LineKind};
use crate::source::Span;

/// A label at the beginning of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Label {
    /// The name as written, without marks.
    pub(super) name: Spanned<String>,
    /// The rest of the line, trimmed.
    pub(super) value: Span,
    pub(super) form: LabelForm,
}

/// How a label is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LabelForm {
    /// `**name:** value`
    Proper,
    /// `**name: value**`
    ValueInside,
    /// `**name**: value`
    ColonOutside,
}

impl Label {
    /// The name as fields are known by: lower case, words joined by `_`.
    pub(super) fn key(&self) -> String {
        self.name.value.to_lowercase().replace([' ', '-'], "_")
    }
}

/// The label a line begins with, if any.
pub(super) fn label(document: &Document<'_>, line: &Line) -> Option<Label> {
    if line.kind != LineKind::Text {
        return None;
    }
    let text = document.slice(line.span);
    let indent = text.len() - text.trim_start_matches(' ').len();
    let bold = text.get(indent..)?.strip_prefix("**")?;
    let start = line.span.start + indent + 2;
    let close = bold.find("**")?;
    if indent > 3 {
        return None;
    }
    let inside = bold.get(..close)?;
    let after = bold.get(close + 2..)?;
    let (name, value, form) = match inside.split_once(':') {
        Some((name, "")) => {
            let value = Span::new(start + close + 2, line.span.end);
            (name, value, LabelForm::Proper)
        }
        Some((name, rest)) if after.trim().is_empty() && rest.starts_with(' ') => {
            let value = Span::new(start + name.len() + 1, start + close);
            (name, value, LabelForm::ValueInside)
        }
        None if after.starts_with(':') => {
            let value = Span::new(start + close + 3, line.span.end);
            (inside, value, LabelForm::ColonOutside)
        }
        _ => return None,
    };
    is_name(name).then(|| Label {
        name: Spanned::new(name.to_owned(), Span::new(start, start + name.len())),
        value: document.trim_span(value),
        form,
    })
}

/// The label of a line that is indented too far to be one.
pub(super) fn indented_label(document: &Document<'_>, line: &Line) -> Option<Label> {
    let text = document.slice(line.span);
    let indent = text.len() - text.trim_start_matches([' ', '\t']).len();
    if indent == 0 || label(document, line).is_some() {
        return None;
    }
    let unindented = Line {
        span: Span::new(line.span.start + indent, line.span.end),
        ..*line
    };
    label(document, &unindented).filter(|label| label.form == LabelForm::Proper)
}

/// The label that a line without bold marks was most likely meant to be: `target: coder`,
/// `*target:* coder`, `__target:__ coder`.
///
/// Only where nothing but a field can stand: in free text it may be prose.
pub(super) fn bare_label(
    document: &Document<'_>,
    line: &Line,
    names: &[&'static str],
) -> Option<(&'static str, Label)> {
    if line.kind != LineKind::Text
        || label(document, line).is_some()
        || indented_label(document, line).is_some()
    {
        return None;
    }
    let span = document.trim_span(line.span);
    let text = document.slice(span);
    let inside = text.trim_start_matches(['*', '_']);
    let start = span.end - inside.len();
    let (name, _) = inside.split_once(':')?;
    let trimmed = name.trim_end_matches(['*', '_', ' ']);
    let found = Label {
        name: Spanned::new(trimmed.to_owned(), Span::new(start, start + trimmed.len())),
        value: {
            let rest = Span::new(start + name.len() + 1, span.end);
            let after = document.slice(rest).trim_start_matches(['*', '_']);
            document.trim_span(Span::new(rest.end - after.len(), rest.end))
        },
        form: LabelForm::ColonOutside,
    };
    let key = found.key();
    let known = names.iter().copied().find(|known| *known == key)?;
    // `file:a.md` and the like begin a value, not a field.
    let spaced = document.slice(found.value).is_empty()
        || document
            .slice(Span::new(start + name.len() + 1, span.end))
            .starts_with([' ', '\t', '*', '_']);
    spaced.then_some((known, found))
}

/// Whether a bold text could be the name of a field rather than a sentence.
fn is_name(text: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    text.starts_with(char::is_alphabetic)
        && !text.ends_with(' ')
        && text.len() <= 40
        && text.split(' ').count() <= 3
        && text.chars().all(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Option<(&str, &str, LabelForm)>) {
        let document = Document::new(line, 0);
        let found = label(&document, &document.lines[0]);
        let found =
            found.map(|label| (label.key(), label.value.slice(line).to_owned(), label.form));
        let expected = expected.map(|(key, value, form)| (key.to_owned(), value.to_owned(), form));
        assert_eq!(found, expected, "{line}");
    }

    #[test]
    fn labels_are_bold_names_with_a_colon() {
        check(
            "**target:** coder \r\n",
            Some(("target", "coder", LabelForm::Proper)),
        );
        check(
            "**Depends on:**",
            Some(("depends_on", "", LabelForm::Proper)),
        );
        check(
            "  **on-fail:** abort",
            Some(("on_fail", "abort", LabelForm::Proper)),
        );
        check(
            "**status: done**",
            Some(("status", "done", LabelForm::ValueInside)),
        );
        check(
            "**target**: x",
            Some(("target", "x", LabelForm::ColonOutside)),
        );
    }

    #[test]
    fn other_bold_text_is_text() {
        check("**target**", None);
        check("    **target:** x", None);
        check("**do not touch this file ever:** x", None);
        check("x **target:** y", None);
        check("**a: b** c", None);
        check("**:** x", None);
        check("**", None);
    }
}
