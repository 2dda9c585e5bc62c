//! A value is of another kind than its field takes.

use super::problem;
use crate::diagnostic::Diagnostic;
use crate::draft::Spanned;
use crate::node::Node;
use crate::source::Span;
use crate::spelling::Dialect;

/// The file says that it is something else.
pub(crate) fn type_of_file(dialect: Dialect, word: &Spanned<String>) -> Diagnostic {
    let message = format!("`type` is `{}`, which is not a plan", word.value);
    problem(dialect, word.span, message)
        .help("write `type: plan`")
        .fix(word.span, "plan")
}

/// A field of the frontmatter is a list or a mapping.
pub(crate) fn no_text(
    dialect: Dialect,
    key: &Spanned<String>,
    span: Span,
    found: &str,
) -> Diagnostic {
    problem(
        dialect,
        span,
        format!("`{}` must be text, not {found}", key.value),
    )
}

/// A field of the frontmatter is not a list.
pub(crate) fn no_list(dialect: Dialect, key: &Spanned<String>, value: &Node) -> Diagnostic {
    let message = format!("`{}` must be a list, not {}", key.value, value.describe());
    let found = problem(dialect, value.span, message);
    match value.text().filter(|text| !text.value.contains('\n')) {
        Some(text) => found
            .help(format!("write `[{}]`", text.value))
            .fix(value.span, format!("[{}]", text.value)),
        None => found,
    }
}

/// A field of the frontmatter is not a mapping.
pub(crate) fn no_mapping(
    dialect: Dialect,
    key: &Spanned<String>,
    span: Span,
    found: &str,
) -> Diagnostic {
    let message = format!(
        "`{}` must be a mapping of names to values, not {found}",
        key.value
    );
    problem(
        dialect,
        if span.is_empty() { key.span } else { span },
        message,
    )
}

/// A value is of another kind than its field.
pub(crate) fn kind(
    dialect: Dialect,
    field: &str,
    span: Span,
    wanted: &str,
    found: &str,
) -> Diagnostic {
    problem(
        dialect,
        span,
        format!("`{field}` must be {wanted}, not {found}"),
    )
}

/// Text that must be JSON is none.
pub(crate) fn json(dialect: Dialect, what: &str, span: Span, why: &str) -> Diagnostic {
    problem(dialect, span, format!("{what} must be JSON: {why}"))
}

/// A dependency of a record is not an index.
pub(crate) fn not_an_index(dialect: Dialect, span: Span, found: &str) -> Diagnostic {
    let message = format!("`dependsOn` names steps by their index, not by {found}");
    problem(dialect, span, message).help("write the `index` of the other step, such as `0`")
}
