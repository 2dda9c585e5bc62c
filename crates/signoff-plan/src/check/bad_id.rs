//! An id holds characters that ids may not hold, or is a number that means another step.
//!
//! ## Why
//! Ids become file names, references and parts of messages. A number in `depends_on` means the
//! step with that number, so an id that is another step's number would be ambiguous.
//!
//! ## Example
//! ```text
//! **id:** build & test
//! ```
//!
//! ## Instead
//! Letters, digits, `_` and `-`: `**id:** build-and-test`.

use super::bad_filename;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::{Draft, Spanned};
use crate::model::is_id;
use crate::spelling::Dialect;

/// The problem of a plan's id, if it has one.
pub(super) fn plan(dialect: Dialect, id: &Spanned<String>) -> Option<Diagnostic> {
    let bad = !id.value.is_empty() && !is_id(&id.value);
    bad.then(|| unusable_id(dialect, "plan", id))
}

/// The problem of a step's id, if it has one.
pub(super) fn step(draft: &Draft, index: usize, id: &Spanned<String>) -> Option<Diagnostic> {
    if draft.dialect == Dialect::Thread {
        return kebab_case(draft.dialect, id);
    }
    if !is_id(&id.value) {
        return Some(unusable_id(draft.dialect, "step", id).step(&id.value));
    }
    if id.value == "none" {
        let message = "id `none` would be taken for no step at all";
        let found = Diagnostic::new(Code::BadId, draft.dialect, id.span, message);
        return Some(found.step(&id.value).help("give the step another name"));
    }
    if let Some(rest) = id.value.strip_prefix('-') {
        let message = format!(
            "id `{}` would be taken for an option of a command",
            id.value
        );
        let found = Diagnostic::new(Code::BadId, draft.dialect, id.span, message);
        let name = Some(rest.trim_start_matches('-')).filter(|name| !name.is_empty());
        return Some(found.step(&id.value).suggest(name));
    }
    let number = id.value.parse::<usize>().ok()?;
    let other = number != index + 1;
    other.then(|| {
        let message = format!("id `{number}` would be taken for step number {number}");
        Diagnostic::new(Code::BadId, draft.dialect, id.span, message)
            .step(&id.value)
            .help("give the step a name that is not a number")
    })
}

/// This dialect allows less, and never means a number by an id.
fn kebab_case(dialect: Dialect, id: &Spanned<String>) -> Option<Diagnostic> {
    if bad_filename::is_kebab_case(&id.value) || id.value.is_empty() {
        return None;
    }
    let message = format!(
        "id `{}` of a task may only hold the letters a–z, digits and single `-` between them",
        id.value
    );
    let found = Diagnostic::new(Code::BadId, dialect, id.span, message).step(&id.value);
    let mostly = id
        .value
        .chars()
        .all(|c| c.is_ascii() || !c.is_alphanumeric());
    let better = Some(bad_filename::kebab_case(&id.value)).filter(|_| mostly);
    Some(match better.filter(|better| !better.is_empty()) {
        Some(better) => found.help(format!("write `{better}`")).fix(id.span, better),
        None => found,
    })
}

fn unusable_id(dialect: Dialect, what: &str, id: &Spanned<String>) -> Diagnostic {
    let slug = slug(&id.value);
    let message = format!(
        "id `{}` of a {what} may only hold the letters a–z and A–Z, digits, `_` and `-`",
        id.value
    );
    let problem = Diagnostic::new(Code::BadId, dialect, id.span, message);
    // Of a name in other letters too little would be left.
    let mostly = id
        .value
        .chars()
        .all(|c| c.is_ascii() || !c.is_alphanumeric());
    if is_id(&slug) && mostly {
        problem.help(format!("write `{slug}`")).fix(id.span, slug)
    } else {
        problem
    }
}

fn slug(text: &str) -> String {
    let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn only_simple_names_are_ids() {
        check(Code::BadId, &plan("### 1. A\n**id:** a_B-9\n"), &[]);
        check(
            Code::BadId,
            &plan("### 1. A\n**id:** build & test\n"),
            &[
                "build & test | id `build & test` of a step may only hold the letters a–z and A–Z, digits, `_` and `-` | \
             write `build-test`",
            ],
        );
        check(
            Code::BadId,
            &plan("").replace("type:", "id: ä\ntype:"),
            &[
                "ä | id `ä` of a plan may only hold the letters a–z and A–Z, digits, `_` and `-` | -",
            ],
        );
        check(
            Code::BadId,
            &plan("### 1. A\n**id:** süß-步\n"),
            &[
                "süß-步 | id `süß-步` of a step may only hold the letters a–z and A–Z, digits, `_` and `-` | -",
            ],
        );
    }

    #[test]
    fn words_and_options_are_no_ids() {
        check(
            Code::BadId,
            &plan("### 1. A\n**id:** none\n### 2. B\n**id:** -rf\n"),
            &[
                "none | id `none` would be taken for no step at all | give the step another name",
                "-rf | id `-rf` would be taken for an option of a command | did you mean `rf`?",
            ],
        );
    }

    #[test]
    fn numbers_are_taken_for_numbers() {
        check(
            Code::BadId,
            &plan("### 1. A\n**id:** 1\n### 2. B\n**id:** 1x\n"),
            &[],
        );
        check(
            Code::BadId,
            &plan("### 1. A\n**id:** 2\n"),
            &[
                "2 | id `2` would be taken for step number 2 | give the step a name that is not a number",
            ],
        );
    }
}
