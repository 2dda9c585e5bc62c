//! A status that the dialect does not have.
//!
//! ## Why
//! Statuses are read by other tools. One they do not know gets lost.
//!
//! ## Example
//! ```text
//! status: finished
//! ```
//!
//! ## Instead
//! Of a plan: `draft`, `verified`, `approved`, `in-progress`, `done`, `failed`; also `stalled`,
//! `rejected`, `needs_review`, `cancelled`. Of a step: `done`, `failed`, `skipped`.

use super::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::spelling::status::{plan_words, step_words};
use crate::suggest::nearest;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let words = plan_words(context.draft.dialect);
    if let Some(status) = &context.draft.status
        && !status.value.is_empty()
        && !words.contains(&status.value.as_str())
    {
        let message = format!("`{}` is not a status of a plan", status.value);
        let found = context.problem(Code::UnknownStatus, status.span, message);
        problems.push(with_help(found, &status.value, &words));
    }
    let words = step_words(context.draft.dialect);
    for step in context.steps() {
        for mark in &step.written.marks.statuses {
            if !words.contains(&mark.word.value.as_str()) {
                let message = format!("`{}` is not a status of a step", mark.word.value);
                let found = step.problem(Code::UnknownStatus, mark.word.span, message);
                problems.push(with_help(found, &mark.word.value, &words));
            }
        }
    }
}

fn with_help(found: Diagnostic, written: &str, words: &[&str]) -> Diagnostic {
    match nearest(written, words.iter().copied()) {
        Some(word) => found.suggest(Some(word)),
        None => {
            let names: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            found.help(format!("write one of {}", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn statuses_are_known_words() {
        check(
            Code::UnknownStatus,
            &plan("### 1. ✅ A\n**status:** failed\n**status: done**\n"),
            &[],
        );
        check(
            Code::UnknownStatus,
            &plan("### 1. A\n**status:** ok\n").replace("draft", "in_progress"),
            &[
                "in_progress | `in_progress` is not a status of a plan | did you mean `in-progress`?",
                "ok | `ok` is not a status of a step | write one of `done`, `failed`, `skipped`",
            ],
        );
    }
}
