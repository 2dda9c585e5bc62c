//! Something of a step stands where it belongs to none.

use super::problem;
use crate::diagnostic::Diagnostic;
use crate::draft::{DraftStep, Spanned};
use crate::source::Span;
use crate::spelling::Dialect;

/// A field of a step is not indented under it.
pub(crate) fn not_indented(dialect: Dialect, name: &Spanned<String>, line: usize) -> Diagnostic {
    let message = format!("`{}` belongs to no step: it is not indented", name.value);
    problem(dialect, name.span, message)
        .help("indent it by three spaces, under its step")
        .fix(Span::at(line), "   ")
}

/// A heading among the steps has no number.
pub(crate) fn no_number(dialect: Dialect, step: &DraftStep, position: usize) -> Diagnostic {
    let title = step.title.value.as_str();
    let message = format!("heading `{title}` has no step number");
    problem(dialect, step.heading, message).help(format!(
        "write `### {position}. {title}`, or `####` for a heading inside a step"
    ))
}

/// A heading was meant to begin a step.
pub(crate) fn step_heading(dialect: Dialect, span: Span, written: &str, text: &str) -> Diagnostic {
    let message = format!("`{written}` is not a heading of a step, though fields of one follow");
    let proper = format!("### {text}");
    problem(dialect, span, message)
        .help(format!("write `{proper}`"))
        .fix(span, proper)
}

/// A heading ends the steps, but something of a step stands under it.
pub(crate) fn ends_steps(
    dialect: Dialect,
    heading: &Spanned<String>,
    what: &str,
    follows: Span,
) -> Diagnostic {
    let message = format!(
        "heading `{}` ends `## Steps`, but {what} follows it",
        heading.value
    );
    problem(dialect, heading.span, message)
        .with_related(follows, "this follows")
        .help("if it is part of a task, put it into a fenced block or write `####`; otherwise move it")
}

/// A numbered heading stands before the steps.
pub(crate) fn not_under_steps(dialect: Dialect, heading: &Spanned<String>) -> Diagnostic {
    let message = format!("heading `{}` is not under `## Steps`", heading.value);
    problem(dialect, heading.span, message)
        .help("move it there if it is a step; otherwise take the number away")
}

/// A field of a step stands where there is no step.
pub(crate) fn field_of_no_step(dialect: Dialect, name: &Spanned<String>) -> Diagnostic {
    let message = format!("field `{}` is not under a step", name.value);
    problem(dialect, name.span, message)
        .help("put it under a heading such as `### 1. Title`; text that is not a field can go into a fenced block")
}
