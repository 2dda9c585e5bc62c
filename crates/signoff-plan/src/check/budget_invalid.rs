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
use crate::dialect::Dialect;
use crate::draft::Spanned;
use crate::duration::UNITS;
use crate::model::Budget;
use crate::suggest::misspelt;

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
        let message = format!("budget `{}` cannot be read: {why}", written.value);
        let found = Diagnostic::new(Code::BudgetInvalid, dialect, written.span, message);
        let words = [&budget::WORDS[..], &UNITS].concat();
        let reads = |text: &str| budget::parse(text).is_ok();
        problems.push(match misspelt(&written.value, &words, reads) {
            Some((slip, meant)) => found.suggest_in(written, slip, meant),
            None => {
                found.help("write `max 200k tokens, $1.50, 20 minutes, 3 agents`, or a part of it")
            }
        });
        Budget::default()
    })
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
}
