//! Text that must be a number, a duration, or one of a few words.

use super::problem;
use crate::diagnostic::{Diagnostic, Severity};
use crate::draft::Spanned;
use crate::source::Span;
use crate::spelling::Dialect;
use crate::spelling::words::PRIORITIES;
use crate::suggest::{misspelt_word, nearest};

/// A priority that is nearly one of the usual words. Others are the author's own.
pub(in crate::check) fn priority(dialect: Dialect, text: &Spanned<String>) -> Option<Diagnostic> {
    let word = text.value.to_lowercase();
    let meant = nearest(&word, PRIORITIES).filter(|_| !PRIORITIES.contains(&word.as_str()))?;
    let message = format!("priority `{}` is not a usual word", text.value);
    let mut found = problem(dialect, text.span, message).suggest(Some(meant));
    found.severity = Severity::Warning;
    Some(found)
}

/// A subscription is neither a file nor a topic.
pub(in crate::check) fn subscription(dialect: Dialect, text: &Spanned<String>) -> Diagnostic {
    if let Some(found) = backwards(dialect, text) {
        return found;
    }
    let message = format!(
        "subscription `{}` is neither a file nor a topic",
        text.value
    );
    let found = problem(dialect, text.span, message);
    let reads = |text: &str| crate::subscription::parse(text).is_some();
    if let Some((slip, meant)) = misspelt_word(&text.value, &["file", "topic"], reads) {
        return found.suggest_in(text, slip, meant);
    }
    let found = found.help("write `file:PATH`, `file:PATH#L10-L40` or `topic:NAME`");
    let bare_path = !text.value.contains([':', '#', ' ']);
    if bare_path {
        found.fix(Span::at(text.span.start), "file:")
    } else {
        found
    }
}

/// The lines of a subscription end before they begin.
fn backwards(dialect: Dialect, text: &Spanned<String>) -> Option<Diagnostic> {
    let (path, lines) = text.value.strip_prefix("file:")?.split_once("#L")?;
    let (from, to) = lines.split_once("-L")?;
    let (from, to): (u32, u32) = (from.parse().ok()?, to.parse().ok()?);
    (from > to && to > 0).then(|| {
        let message = format!("lines `L{from}-L{to}` end before they begin");
        problem(dialect, text.span, message).suggest(Some(&format!("file:{path}#L{to}-L{from}")))
    })
}

/// A number is none, or too small.
pub(in crate::check) fn number(
    dialect: Dialect,
    field: &str,
    text: &Spanned<String>,
    least: u64,
) -> Diagnostic {
    let field = dialect.field_name(field);
    let message = format!(
        "`{field}` must be a whole number from {least} on, not `{}`",
        text.value
    );
    problem(dialect, text.span, message)
}

/// A duration cannot be read.
pub(in crate::check) fn duration(
    dialect: Dialect,
    field: &str,
    text: &Spanned<String>,
) -> Diagnostic {
    let field = dialect.field_name(field);
    let message = format!("`{field}` must be a duration, not `{}`", text.value);
    let found = problem(dialect, text.span, message);
    let reads = |text: &str| crate::duration::parse(text).is_some();
    if let Some((slip, meant)) = misspelt_word(&text.value, &crate::duration::UNITS, reads) {
        return found.suggest_in(text, slip, meant);
    }
    found.help("write numbers with units, the largest first: `90s`, `10m`, `20 minutes`, `1h 30m`")
}

/// A limit that is longer than this limits nothing.
pub(in crate::check) const LONGEST: std::time::Duration = std::time::Duration::from_hours(366 * 24);

/// A duration that no clock will see the end of.
pub(in crate::check) fn too_long(
    dialect: Dialect,
    field: &str,
    text: &Spanned<String>,
) -> Diagnostic {
    let field = dialect.field_name(field);
    let message = format!("`{field}` is longer than a year: `{}`", text.value);
    problem(dialect, text.span, message).help("leave it out for the configured limit")
}

/// A field that takes one of several words holds another one.
pub(in crate::check) fn word(
    dialect: Dialect,
    field: &str,
    text: &Spanned<String>,
    words: &[&str],
) -> Diagnostic {
    let field = dialect.field_name(field);
    let names: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    let message = format!(
        "`{field}` must be one of {}, not `{}`",
        names.join(", "),
        text.value
    );
    let suggestion = nearest(&text.value, words.iter().copied());
    problem(dialect, text.span, message).suggest(suggestion)
}
