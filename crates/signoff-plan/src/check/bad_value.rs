//! A field holds something it cannot mean.
//!
//! ## Why
//! A value that is misread, or quietly ignored, makes the run differ from what was signed.
//!
//! ## Example
//! ```text
//! **timeout:** ten minutes
//! **critical:** maybe
//! **subscriptions:** src/app.py
//! ### 5. Deploy        (as the third step)
//! ```
//!
//! ## Instead
//! What the message names: `**timeout:** 10m`, `**critical:** no`,
//! `**subscriptions:** file:src/app.py`, `### 3. Deploy`.

mod kind;
mod label;
mod misplaced;
mod word;
mod work;

use std::collections::BTreeMap;

pub(crate) use self::kind::{json, kind, no_list, no_mapping, no_text, not_an_index, type_of_file};
pub(crate) use self::label::{
    bracketed_list, contract_language, empty, none_beside_others, repeated_label, second_contract,
};
pub(crate) use self::misplaced::{
    ends_steps, field_of_no_step, no_number, not_indented, not_under_steps, step_heading,
};
pub(super) use self::word::{LONGEST, duration, number, priority, subscription, too_long, word};
pub(crate) use self::work::ask_and_agent;
pub(super) use self::work::two_kinds_of_work;
use super::context::{Context, StepView};
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
use crate::model::Work;
use crate::source::Span;
use crate::spelling::Dialect;

fn problem(dialect: Dialect, span: Span, message: String) -> Diagnostic {
    Diagnostic::new(Code::BadValue, dialect, span, message)
}

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    let priority = context.draft.priority.as_ref();
    problems.extend(priority.and_then(|text| self::priority(context.draft.dialect, text)));
    for step in context.steps() {
        choices(step, problems);
        reviewer(step, problems);
        let priority = step
            .written
            .record
            .iter()
            .find(|(name, _)| *name == "priority");
        let text = priority.and_then(|(_, value)| {
            let word = value.value.as_str()?.to_owned();
            Some(Spanned::new(word, value.span))
        });
        let found = text.and_then(|text| self::priority(context.draft.dialect, &text));
        problems.extend(found.map(|found| found.step(step.id())));
    }
    globs(context, problems);
    numbering(context, problems);
}

/// Who answers must be able to tell the answers apart.
fn choices(step: StepView<'_>, problems: &mut Vec<Diagnostic>) {
    let mut first = BTreeMap::new();
    for choice in &step.written.choices {
        if let Some(before) = first.get(choice.value.as_str()) {
            let message = format!("choice `{}` is given twice", choice.value);
            let found = step.problem(Code::BadValue, choice.span, message);
            problems.push(found.with_related(*before, "given here first"));
            continue;
        }
        first.insert(choice.value.as_str(), choice.span);
    }
}

/// Only what an agent did is for a model to read: a call and an answer are seen by the harness.
fn reviewer(step: StepView<'_>, problems: &mut Vec<Diagnostic>) {
    let is_agent = matches!(step.resolved.work, Work::Agent { .. });
    let Some(reviewer) = step.written.reviewer.as_ref().filter(|_| !is_agent) else {
        return;
    };
    let message = format!(
        "step `{}` has a reviewer, and no agent whose work it could read",
        step.id()
    );
    problems.push(step.problem(Code::BadValue, reviewer.span, message));
}

fn globs(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        for text in step.written.produces.iter().chain(&step.written.protects) {
            if let Some(bracket) = glob(&text.value) {
                let message = format!("`{bracket}` in glob `{}` has no partner", text.value);
                problems.push(step.problem(Code::BadValue, text.span, message));
            }
        }
    }
}

/// A glob whose brackets do not match.
fn glob(text: &str) -> Option<char> {
    let mut open = Vec::new();
    for c in text.chars() {
        match c {
            '{' | '[' => open.push(c),
            '}' if open.pop() != Some('{') => return Some(c),
            ']' if open.pop() != Some('[') => return Some(c),
            _ => {}
        }
    }
    open.pop()
}

/// Numbers must be positions: references by number would be ambiguous otherwise.
fn numbering(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for step in context.steps() {
        // After a heading that stands for several steps, the numbers are unknown.
        if step.written.unexpanded.is_some() {
            return;
        }
        let position = step.index + 1;
        let Some(number) = &step.written.number else {
            continue;
        };
        if usize::try_from(number.value) != Ok(position) {
            let message = format!(
                "step `{}` is numbered {} but is number {position}",
                step.id(),
                number.value
            );
            let found = step.problem(Code::BadValue, number.span, message);
            problems.push(
                found
                    .help(format!("write `{position}.`"))
                    .fix(number.span, position.to_string()),
            );
        }
    }
}

#[cfg(test)]
mod tests;
