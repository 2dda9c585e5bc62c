//! A budget cannot be read.
//!
//! ## Why
//! Limits are hard: a run stops at them. One that is misread would stop it too early or never.
//!
//! ## Example
//! ```text
//! **Budget:** about 200,000 tokens
//! ```
//!
//! ## Instead
//! `**Budget:** max 200k tokens, $1.50, 20 minutes wall clock, 3 agents`, or any part of it.

use crate::budget;
use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
use crate::duration::UNITS;
use crate::model::Budget;
use crate::source::Span;
use crate::spelling::Dialect;
use crate::suggest::misspelt_word;

/// Reads a budget; reports one that cannot be, and limits nothing.
pub(super) fn read(
    dialect: Dialect,
    written: Option<&Spanned<String>>,
    problems: &mut Vec<Diagnostic>,
) -> Budget {
    let Some(written) = written else {
        return Budget::default();
    };
    budget::parse(&written.value).unwrap_or_else(|why| {
        let parts: Vec<_> = parts(written)
            .filter_map(|part| Some((budget::parse(&part.value).err()?, part)))
            .collect();
        if parts.is_empty() {
            // Each can be read, but not all of them together.
            problems.push(unreadable(dialect, written, &why));
        }
        for (why, part) in &parts {
            problems.push(unreadable(dialect, part, why));
        }
        Budget::default()
    })
}

/// What stands between commas, each at its place.
fn parts(written: &Spanned<String>) -> impl Iterator<Item = Spanned<String>> {
    let whole = written.span;
    let in_place = whole.len() == written.value.len();
    let mut at = 0;
    written.value.split(',').map(move |part| {
        let text = part.trim();
        let start = whole.start + at + (part.len() - part.trim_start().len());
        at += part.len() + 1;
        let span = if in_place && !text.is_empty() {
            Span::new(start, start + text.len())
        } else {
            whole
        };
        Spanned::new(text.to_owned(), span)
    })
}

fn unreadable(dialect: Dialect, written: &Spanned<String>, why: &str) -> Diagnostic {
    let message = format!("budget `{}` cannot be read: {why}", written.value);
    let found = Diagnostic::new(Code::BudgetInvalid, dialect, written.span, message);
    let words = [&budget::WORDS[..], &UNITS].concat();
    let reads = |text: &str| budget::parse(text).is_ok();
    match misspelt_word(&written.value, &words, reads) {
        Some((slip, meant)) => found.suggest_in(written, slip, meant),
        None => found.help("write `max 200k tokens, $1.50, 20 minutes, 3 agents`, or a part of it"),
    }
}

/// One limit of a budget in keys and values cannot be read.
pub(crate) fn limit(
    dialect: Dialect,
    name: &str,
    amount: &Spanned<String>,
    why: &str,
) -> Diagnostic {
    let message = format!("limit `{name}` of the budget cannot be read: {why}");
    Diagnostic::new(Code::BudgetInvalid, dialect, amount.span, message)
        .help("write `tokens` and `agents` as whole numbers, `usd` as a number, `wall` as `20m`")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    #[test]
    fn unreadable_budgets_are_reported() {
        check(
            Code::BudgetInvalid,
            &plan("### 1. A\n**budget:** 5 minutes\n"),
            &[],
        );
        check(
            Code::BudgetInvalid,
            &plan("### 1. A\n**budget:** 0 tokens\n"),
            &[
                "0 tokens | budget `0 tokens` cannot be read: `0 tokens` allows nothing at all | \
             write `max 200k tokens, $1.50, 20 minutes, 3 agents`, or a part of it",
            ],
        );
    }

    #[test]
    fn every_part_is_looked_at() {
        let text = plan("### 1. A\n**budget:** $x, 1 hour, 5 tkens, 3 agnts\n");
        let found = super::super::testing::checked(&text).diagnostics;
        let found = found.iter().filter(|one| one.code == Code::BudgetInvalid);
        let carets: Vec<_> = found.map(|one| one.span.slice(&text)).collect();
        assert_eq!(carets, ["$x", "tkens", "agnts"]);
    }
}
