//! What stands behind a label or under it: twice, not at all, or written as in another language.

use super::problem;
use crate::diagnostic::Diagnostic;
use crate::draft::Spanned;
use crate::source::Span;
use crate::spelling::Dialect;
use crate::spelling::words::SHELLS;
use crate::suggest::nearest;

/// A label is given twice.
pub(crate) fn repeated_label(dialect: Dialect, name: &str, span: Span, first: Span) -> Diagnostic {
    problem(dialect, span, format!("field `{name}` is given twice"))
        .with_related(first, "given here first")
        .help("keep one; text that is not a field can go into a fenced block")
}

/// A label has no value.
pub(crate) fn empty(dialect: Dialect, name: &str, span: Span) -> Diagnostic {
    problem(dialect, span, format!("field `{name}` has no value"))
        .help("give it a value, or leave the label out")
}

/// The word `none` stands beside other items.
pub(crate) fn none_beside_others(dialect: Dialect, name: &str, span: Span) -> Diagnostic {
    let message = format!("`none` in `{name}` stands alone or not at all");
    problem(dialect, span, message).help("take it away, or the other names")
}

/// A list is written in brackets.
pub(crate) fn bracketed_list(dialect: Dialect, name: &str, text: &Spanned<String>) -> Diagnostic {
    let message = format!("`{name}` is a list of names without brackets");
    let inside = text.value.trim_start_matches('[').trim_end_matches(']');
    let names: Vec<_> = inside
        .split(',')
        .map(|item| item.trim().trim_matches(['"', '\'']))
        .filter(|item| !item.is_empty())
        .collect();
    let names = names.join(", ");
    let found = problem(dialect, text.span, message);
    if names.is_empty() {
        found.help("leave the field out")
    } else {
        found
            .help(format!("write `{names}`"))
            .fix(text.span, names.as_str())
    }
}

/// A contract has more than one block.
pub(crate) fn second_contract(dialect: Dialect, span: Span, first: Span) -> Diagnostic {
    problem(
        dialect,
        span,
        "a contract is one fenced block; this is a second one".to_owned(),
    )
    .with_related(first, "the first one")
    .help("join the commands with `&&` in one block")
}

/// A contract is written in something else than shell.
pub(crate) fn contract_language(dialect: Dialect, word: &Spanned<String>) -> Diagnostic {
    let message = format!("a contract is shell text, not `{}`", word.value);
    let found = problem(dialect, word.span, message);
    if matches!(word.value.as_str(), "llm_judge" | "llm-judge" | "llm") {
        return found.help(
            "a model's word proves nothing: write a command that fails before the work and passes after it, and let the \
             model advise as the step's `reviewer`",
        );
    }
    match nearest(&word.value, SHELLS) {
        Some(meant) => found.suggest(Some(meant)),
        None => found
            .help("mark the block as `shell`, `bash` or `sh`, and call other languages from there"),
    }
}
