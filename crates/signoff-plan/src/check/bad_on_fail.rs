//! A failure policy cannot be read.
//!
//! ## Why
//! The harness does exactly what the policy says and nothing else, so it must be sure what that is.
//!
//! ## Example
//! ```text
//! **on_fail:** retry 2
//! ```
//!
//! ## Instead
//! `retry(N)`, one of `escalate`, `abort`, `skip`, `replan`, `recover`, or both:
//! `retry(2), then escalate`. `retry(N)` retries after every failure; on a tool step
//! `retry(N, transient)` retries only what may pass, such as a time limit or a lost connection. Without
//! `on_fail` a tool step does the latter.

use crate::diagnostic::{Code, Diagnostic};
use crate::draft::Spanned;
use crate::model::{FailAction, OnFail, RetriedFailures, Work};
use crate::on_fail;
use crate::spelling::Dialect;
use crate::suggest::{misspelt_word, nearest};

/// Reads a policy; reports one that cannot be, and takes the default.
pub(super) fn read(
    dialect: Dialect,
    (work, critical): (&Work, bool),
    written: Option<&Spanned<String>>,
    problems: &mut Vec<Diagnostic>,
) -> OnFail {
    let default = dialect.default_on_fail(work, critical);
    let Some(written) = written else {
        return default;
    };
    match on_fail::parse(&written.value) {
        Some(policy) if policy.retries > MOST_RETRIES => {
            problems.push(too_many_retries(dialect, written, policy.retries));
            default
        }
        Some(policy)
            if policy.failures == RetriedFailures::Transient
                && !matches!(work, Work::Tool { .. }) =>
        {
            problems.push(no_call(dialect, written));
            default
        }
        Some(policy) => policy,
        None => {
            problems.push(unreadable(dialect, written));
            default
        }
    }
}

/// What has failed so often fails for a reason that another attempt does not change.
const MOST_RETRIES: u32 = 100;

fn too_many_retries(dialect: Dialect, written: &Spanned<String>, retries: u32) -> Diagnostic {
    let message = format!("a step is retried at most {MOST_RETRIES} times, not {retries} times");
    Diagnostic::new(Code::BadOnFail, dialect, written.span, message)
        .help("write a few, as in `retry(2), then escalate`")
}

fn no_call(dialect: Dialect, written: &Spanned<String>) -> Diagnostic {
    let message = "only the calls of tool steps have transient failures";
    Diagnostic::new(Code::BadOnFail, dialect, written.span, message)
        .help("write `retry(N)`: the step is tried again whatever went wrong")
}

fn unreadable(dialect: Dialect, written: &Spanned<String>) -> Diagnostic {
    let message = format!("failure policy `{}` cannot be read", written.value);
    let problem = Diagnostic::new(Code::BadOnFail, dialect, written.span, message);
    let words = ["retry", "then"].into_iter().chain(actions());
    let words: Vec<_> = words.collect();
    let reads = |text: &str| on_fail::parse(text).is_some();
    if let Some((slip, meant)) = misspelt_word(&written.value, &words, reads) {
        return problem.suggest_in(written, slip, meant);
    }
    match likely_meant(&written.value) {
        Some(text) => problem.suggest(Some(&text)),
        None => problem.help(
            "write `retry(N)`, then one of `escalate`, `abort`, `skip`, `replan`, `recover`: \
             `retry(2), then escalate`",
        ),
    }
}

fn actions() -> impl Iterator<Item = &'static str> {
    FailAction::ALL.into_iter().map(FailAction::name)
}

/// What was most likely meant; only for suggesting.
fn likely_meant(text: &str) -> Option<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let words: Vec<_> = words
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let action = |word: &str| {
        actions()
            .find(|name| *name == word)
            .or_else(|| nearest(word, actions()))
    };
    let mut words: Vec<_> = words.iter().map(String::as_str).collect();
    if let Some(first) = words.first_mut()
        && nearest(first, ["retry"]).is_some()
    {
        *first = "retry";
    }
    match words.as_slice() {
        ["retry", count] => Some(format!("retry({})", count.parse::<u32>().ok()?)),
        ["retry", count, "then", word] | ["retry", count, word] => Some(format!(
            "retry({}), then {}",
            count.parse::<u32>().ok()?,
            action(word)?
        )),
        [word] => action(word).map(str::to_owned),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, checked, plan};
    use super::*;

    fn policy(text: &str) -> String {
        plan(&format!("### 1. A\n**task:** x\n**on_fail:** {text}\n"))
    }

    #[test]
    fn only_the_grammar_is_read() {
        check(Code::BadOnFail, &policy("retry(1) then skip"), &[]);
        check(
            Code::BadOnFail,
            &policy("retry 2"),
            &["retry 2 | failure policy `retry 2` cannot be read | did you mean `retry(2)`?"],
        );
        check(
            Code::BadOnFail,
            &policy("retry(2), then excalate"),
            &[
                "excalate | failure policy `retry(2), then excalate` cannot be read | \
             did you mean `escalate`?",
            ],
        );
        check(
            Code::BadOnFail,
            &policy("rety(2)"),
            &["rety | failure policy `rety(2)` cannot be read | did you mean `retry`?"],
        );
        check(
            Code::BadOnFail,
            &policy("retry(-1)"),
            &[
                "retry(-1) | failure policy `retry(-1)` cannot be read | write `retry(N)`, then one of \
             `escalate`, `abort`, `skip`, `replan`, `recover`: `retry(2), then escalate`",
            ],
        );
    }

    #[test]
    fn the_default_is_filled_in() {
        let default = checked(&plan("### 1. A\n**task:** x\n")).plan.steps[0].on_fail;
        assert_eq!(default.to_string(), "retry(2), then escalate");
    }

    #[test]
    fn only_calls_have_transient_failures() {
        check(
            Code::BadOnFail,
            &policy("retry(2, transient)"),
            &[
                "retry(2, transient) | only the calls of tool steps have transient failures | \
                 write `retry(N)`: the step is tried again whatever went wrong",
            ],
        );
        let tool = |policy: &str| plan(&format!("### 1. A\n**tool:** read_file\n{policy}"));
        let policy = |policy: &str| checked(&tool(policy)).plan.steps[0].on_fail.to_string();
        check(
            Code::BadOnFail,
            &tool("**on_fail:** retry(1, transient)\n"),
            &[],
        );
        // What is said is not taken for what is not.
        assert_eq!(policy(""), "retry(2, transient), then escalate");
        assert_eq!(policy("**on_fail:** retry(2)\n"), "retry(2), then escalate");
    }

    #[test]
    fn retries_end() {
        check(
            Code::BadOnFail,
            &plan("### 1. A\n**on_fail:** retry(1000000)\n"),
            &[
                "retry(1000000) | a step is retried at most 100 times, not 1000000 times | \
               write a few, as in `retry(2), then escalate`",
            ],
        );
        check(
            Code::BadOnFail,
            &plan("### 1. A\n**on_fail:** retry(100)\n"),
            &[],
        );
    }
}
