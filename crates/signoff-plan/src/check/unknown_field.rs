//! A field that the dialect does not have, or text that belongs to no field.
//!
//! ## Why
//! It is most likely a slip, and what it says would have no effect. A bold label inside prose stays
//! part of that prose: nothing is lost.
//!
//! ## Example
//! ```text
//! **contarct:**
//! **target**: coder
//! ```
//!
//! ## Instead
//! The name the message suggests, spelled `**name:** value`. To use bold labels in prose, put the
//! colon elsewhere or the text into a fenced block.

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Dialect;
use crate::draft::Spanned;
use crate::source::Span;
use crate::suggest::nearest;

/// A key of the frontmatter that means nothing here.
pub(crate) fn key(dialect: Dialect, key: &Spanned<String>, known: &[&str]) -> Diagnostic {
    let message = format!("`{}` is no field of the frontmatter", key.value);
    let suggestion = nearest(&key.value, known.iter().copied());
    Diagnostic::new(Code::UnknownField, dialect, key.span, message).suggest(suggestion)
}

/// A label that means nothing here.
pub(crate) fn label(
    dialect: Dialect,
    name: &Spanned<String>,
    owner: &str,
    known: &[&str],
) -> Diagnostic {
    let message = format!(
        "`{}` is no field of {owner}; it is read as text",
        name.value
    );
    let suggestion = nearest(&name.value, known.iter().copied());
    Diagnostic::new(Code::UnknownField, dialect, name.span, message).suggest(suggestion)
}

/// A label that is spelled so that it is only text.
pub(crate) fn spelling(
    dialect: Dialect,
    name: &Spanned<String>,
    line: Span,
    known: &str,
    value: &str,
) -> Diagnostic {
    let message = format!("`{}` is read as text here, not as a field", name.value);
    let proper = format!("**{known}:** {value}");
    let proper = proper.trim_end();
    Diagnostic::new(Code::UnknownField, dialect, name.span, message)
        .help(format!("write `{proper}`"))
        .fix(line, proper)
}

/// Text of a step that belongs to no field.
pub(crate) fn stray(dialect: Dialect, span: Span, after: Option<&str>) -> Diagnostic {
    let message = match after {
        Some(field) => format!("text after field `{field}` belongs to no field"),
        None => "text before the first field belongs to no field".to_owned(),
    };
    Diagnostic::new(Code::UnknownField, dialect, span, message)
        .help("put it under `**task:**`, or into a comment `<!-- … -->`")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, checked, plan};
    use super::*;

    #[test]
    fn unknown_names_are_reported() {
        check(
            Code::UnknownField,
            &plan("").replace("owner:", "Owner: x\nowner:"),
            &["Owner | `Owner` is no field of the frontmatter | did you mean `owner`?"],
        );
        check(
            Code::UnknownField,
            &plan("### 1. A\n**contarct:** x\n"),
            &[
                "contarct | `contarct` is no field of a step; it is read as text | did you mean `contract`?",
            ],
        );
        check(
            Code::UnknownField,
            &plan("").replace("**Budget", "**Buget:** 1\n**Budget"),
            &["Buget | `Buget` is no field of a plan; it is read as text | did you mean `budget`?"],
        );
    }

    #[test]
    fn near_misses_in_spelling_are_reported() {
        check(
            Code::UnknownField,
            &plan("### 1. A\n**task:** x\n**target**: coder\n"),
            &["target | `target` is read as text here, not as a field | write `**target:** coder`"],
        );
    }

    #[test]
    fn stray_text_is_reported() {
        const HELP: &str = "put it under `**task:**`, or into a comment `<!-- … -->`";
        check(
            Code::UnknownField,
            &plan("### 1. A\nDo it.\n**on_fail:** abort\n\nAnd more.\n"),
            &[
                &format!("Do it. | text before the first field belongs to no field | {HELP}"),
                &format!("And more. | text after field `on_fail` belongs to no field | {HELP}"),
            ],
        );
    }

    #[test]
    fn a_block_is_no_part_of_a_single_value() {
        let text = plan("### 1. A\n**task:** x\n**on_fail:** abort\n```\ny\n```\n");
        check(
            Code::UnknownField,
            &text,
            &["``` | text after field `on_fail` belongs to no field | \
               put it under `**task:**`, or into a comment `<!-- … -->`"],
        );
        check(Code::BadOnFail, &text, &[]);
    }

    #[test]
    fn labels_in_prose_stay_prose() {
        let checked = checked(&plan("### 1. A\n**task:** x\n**Note:** y\n"));
        let crate::model::Work::Agent { task, .. } = &checked.plan.steps[0].work else {
            panic!("an agent step");
        };
        assert_eq!(task, "x\n**Note:** y");
    }
}
