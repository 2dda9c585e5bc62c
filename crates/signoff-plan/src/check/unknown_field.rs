//! A field that the dialect does not have, or text that belongs to no field.
//!
//! ## Why
//! It is most likely a slip, and what it says would have no effect. A bold label inside prose stays
//! part of that prose: nothing is lost.
//!
//! What only follows from the slip, such as that the right field is missing, is not said again. The slip
//! is an error where that would have been one, and always in a `thread`, which is strict.
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
use crate::draft::Spanned;
use crate::source::Span;
use crate::spelling::Dialect;
use crate::suggest::{nearest, nearest_within};

/// A key of the frontmatter that means nothing here.
pub(crate) fn key(dialect: Dialect, key: &Spanned<String>, known: &[&str]) -> Diagnostic {
    let message = format!("`{}` is not a field of the frontmatter", key.value);
    let suggestion = nearest(&key.value, known.iter().copied());
    Diagnostic::new(Code::UnknownField, dialect, key.span, message).suggest(suggestion)
}

/// A key of YAML or JSON that means nothing where it stands.
pub(crate) fn member(
    dialect: Dialect,
    key: &Spanned<String>,
    owner: &str,
    suggestion: Option<&str>,
) -> Diagnostic {
    let message = format!("`{}` is not a field of {owner}", key.value);
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
        "`{}` is not a field of {owner}; it is read as text",
        name.value
    );
    let known: Vec<String> = known
        .iter()
        .map(|known| documented_name(known, owner))
        .collect();
    let suggestion = nearest(&name.value, known.iter().map(String::as_str));
    Diagnostic::new(Code::UnknownField, dialect, name.span, message).suggest(suggestion)
}

/// The name of a field as the documentation spells it: those of a plan are capitalised.
pub(crate) fn documented_name(name: &str, owner: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) if owner == "a plan" => {
            let rest = letters.as_str().replace('_', " ");
            first.to_uppercase().chain(rest.chars()).collect()
        }
        _ => name.to_owned(),
    }
}

/// A label without the marks that make it one.
pub(crate) fn bare_label(
    dialect: Dialect,
    name: &Spanned<String>,
    line: Span,
    known: &str,
    value: &str,
) -> Diagnostic {
    let message = format!("`{}:` is not a field without `**` around it", name.value);
    let proper = with_label(known, value);
    Diagnostic::new(Code::UnknownField, dialect, name.span, message)
        .help(format!("did you mean `{proper}`?"))
        .fix(line, proper)
}

fn with_label(name: &str, value: &str) -> String {
    format!("**{name}:** {value}").trim_end().to_owned()
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
    let proper = with_label(known, value);
    Diagnostic::new(Code::UnknownField, dialect, name.span, message)
        .help(format!("write `{proper}`"))
        .fix(line, proper)
}

/// A key of the frontmatter that means nothing here, but stays in the file.
pub(crate) fn ignored_key(dialect: Dialect, key: &Spanned<String>, known: &[&str]) -> Diagnostic {
    let message = format!(
        "`{}` is not a field of the frontmatter; it means nothing here",
        key.value
    );
    let suggestion = nearest(&key.value, known.iter().copied());
    Diagnostic::new(Code::UnknownField, dialect, key.span, message).suggest(suggestion)
}

/// A label that is indented too far.
pub(crate) fn indented_label(
    dialect: Dialect,
    name: &Spanned<String>,
    indentation: Span,
) -> Diagnostic {
    let message = format!(
        "`{}` is indented, so it is read as text and not as a field",
        name.value
    );
    Diagnostic::new(Code::UnknownField, dialect, name.span, message)
        .help("begin the line with `**`")
        .fix(indentation, "")
}

/// A heading that is nearly one that means something.
pub(crate) fn section(
    dialect: Dialect,
    heading: &Spanned<String>,
    known: &[&str],
) -> Option<Diagnostic> {
    // `Rejection (v2)` is known by its first word.
    let name = heading.value.split('(').next().unwrap_or_default();
    let name = name.trim_end_matches([' ', ':']);
    // Prose has headings of its own: only what is one slip away was meant to be another.
    let meant = nearest_within(1, name, known.iter().copied())?;
    // Without a `## Steps` every heading with a number begins a step, wherever it stands.
    let read = match (dialect, meant) {
        (Dialect::Workunit, "Steps") => "",
        _ => "; what follows is read as context",
    };
    let message = format!("heading `{name}` begins no section of a plan{read}");
    let span = Span::new(heading.span.start, heading.span.start + name.len());
    let found = Diagnostic::new(Code::UnknownField, dialect, span, message);
    Some(found.suggest(Some(meant)))
}

/// An item that stands between the steps of a list.
pub(crate) fn outside_steps(dialect: Dialect, span: Span) -> Diagnostic {
    let message = "this line belongs to no step; it is read as context";
    Diagnostic::new(Code::UnknownField, dialect, span, message)
        .help("indent it under its step, or give it a number of its own")
}

/// Text of a step that belongs to no field.
pub(crate) fn stray_text(dialect: Dialect, span: Span, after: Option<&str>) -> Diagnostic {
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
            &["Owner | `Owner` is not a field of the frontmatter | did you mean `owner`?"],
        );
        check(
            Code::UnknownField,
            &plan("### 1. A\n**contarct:** x\n"),
            &[
                "contarct | `contarct` is not a field of a step; it is read as text | did you mean `contract`?",
            ],
        );
        check(
            Code::UnknownField,
            &plan("").replace("**Budget", "**Buget:** 1\n**Budget"),
            &[
                "Buget | `Buget` is not a field of a plan; it is read as text | did you mean `Budget`?",
            ],
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

    #[test]
    fn labels_without_marks_are_noticed() {
        let text = plan(
            "### 1. A\n*task:* x\n**id:** a\ntarget: shell\n**on_fail:** retry(1),\nthen abort\n**produces:**\n- x\ntimeout:\n",
        );
        check(
            Code::UnknownField,
            &text,
            &[
                "task | `task:` is not a field without `**` around it | did you mean `**task:** x`?",
                "target | `target:` is not a field without `**` around it | did you mean `**target:** shell`?",
                "timeout | `timeout:` is not a field without `**` around it | did you mean `**timeout:**`?",
            ],
        );
        check(Code::BadId, &text, &[]);
        check(Code::BadOnFail, &text, &[]);
        check(
            Code::UnknownField,
            &plan("").replace("**Budget", "Priority: high\n**Budget"),
            &[
                "Priority | `Priority:` is not a field without `**` around it | did you mean `**Priority:** high`?",
            ],
        );
        check(
            Code::UnknownField,
            &plan("### 1. A\n**task:** x\ntarget: prose\n"),
            &[],
        );
    }

    #[test]
    fn an_indented_label_is_no_field() {
        for indent in ["\t", "    "] {
            let text = plan(&format!(
                "### 1. A\n**task:** x\n**contract:** `ls`\n{indent}**timeout:** 5m\n"
            ));
            check(
                Code::UnknownField,
                &text,
                &[
                    "timeout | `timeout` is indented, so it is read as text and not as a field | begin the line with `**`",
                ],
            );
            let fix = checked(&text).diagnostics[0].fix.clone().expect("a fix");
            assert_eq!(fix.span.slice(&text), indent);
        }
        check(
            Code::UnknownField,
            &plan("### 1. A\n**contract:** `ls`\n**task:** as in\n\n    **timeout:** 5m\n"),
            &[],
        );
    }

    #[test]
    fn one_mistake_is_said_once() {
        let text =
            plan("### 1. A\n**task:** x\n**contract:** `make`\n**acept:** y\n**produces:** z\n");
        check(
            Code::UnknownField,
            &text,
            &[
                "acept | `acept` is not a field of a step; it is read as text | did you mean `accept`?",
            ],
        );
        check(Code::BadExpect, &text, &[]);
        let text = plan("### 1. A\n**task:** x\n**contract:**\n");
        check(Code::MissingContract, &text, &[]);
        assert_eq!(checked(&text).diagnostics.len(), 1);
    }

    #[test]
    fn a_slip_is_as_grave_as_what_it_hides() {
        let severity = |text: &str| {
            let problems = checked(text).diagnostics;
            assert_eq!(problems.len(), 1, "{problems:?}");
            problems[0].severity
        };
        let contract = "**contract:** `make`";
        // Without a task there is nothing to sign; locks may be left out.
        let text = plan(&format!(
            "### 1. A\n**target:** coder\n{contract}\n**tsak:** x\n"
        ));
        assert_eq!(severity(&text), crate::diagnostic::Severity::Error);
        let text = plan(&format!(
            "### 1. A\n**task:** x\n{contract}\n**lokcs:** x\n"
        ));
        assert_eq!(severity(&text), crate::diagnostic::Severity::Warning);
        // Another step's slip explains nothing here.
        let text = plan(&format!(
            "### 1. A\n**task:** x\n{contract}\n**tsak:** y\n### 2. B\n**target:** coder\n{contract}\n"
        ));
        check(
            Code::EmptyTask,
            &text,
            &["coder | step `step-2` gives its agent nothing to do | say it under `**task:**`"],
        );
    }

    #[test]
    fn headings_of_prose_are_left_alone() {
        for heading in ["Reflection", "Tests", "Step by step", "Notes"] {
            let text = plan("").replace("## Steps", &format!("## {heading}\n\n## Steps"));
            check(Code::UnknownField, &text, &[]);
        }
        check(
            Code::UnknownField,
            &plan("").replace("## Steps", "## Setps"),
            &["Setps | heading `Setps` begins no section of a plan | \
                 did you mean `Steps`?"],
        );
    }
}
