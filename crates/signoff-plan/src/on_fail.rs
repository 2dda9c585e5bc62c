//! The grammar of failure policies: `retry(2), then escalate`.

use crate::model::{FailAction, OnFail, RetriedFailures};

/// Reads a failure policy; anything but the grammar is `None`, never a guess.
///
/// Retries without an action end in escalation, an action alone is taken at once. `retry(2)` retries
/// after every failure, `retry(2, transient)` after those of a tool call that may pass.
pub fn parse(text: &str) -> Option<OnFail> {
    let text = text.trim();
    if let Some(then) = action(text) {
        return Some(policy(0, RetriedFailures::Every, then));
    }
    let (count, rest) = text.strip_prefix("retry(")?.split_once(')')?;
    let (count, failures) = match count.strip_suffix(", transient") {
        Some(count) => (count, RetriedFailures::Transient),
        None => (count, RetriedFailures::Every),
    };
    if !count.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let retries = count.parse().ok()?;
    if rest.is_empty() {
        return Some(policy(retries, failures, FailAction::Escalate));
    }
    let rest = rest.strip_prefix(',').unwrap_or(rest);
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = rest.strip_prefix("then")?;
    let then = action(rest.strip_prefix([' ', '\t'])?.trim_start())?;
    Some(policy(retries, failures, then))
}

/// A policy without retries says nothing of what they would be for.
fn policy(retries: u32, failures: RetriedFailures, then: FailAction) -> OnFail {
    let failures = match retries {
        0 => RetriedFailures::Every,
        _ => failures,
    };
    OnFail {
        retries,
        failures,
        then,
    }
}

fn action(word: &str) -> Option<FailAction> {
    FailAction::ALL
        .into_iter()
        .find(|action| action.name() == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(u32, FailAction)>) {
        let found = parse(text).map(|policy| (policy.retries, policy.then));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_grammar_is_read() {
        check("retry(2), then escalate", Some((2, FailAction::Escalate)));
        check("retry(2) then abort", Some((2, FailAction::Abort)));
        check("retry(3)", Some((3, FailAction::Escalate)));
        check("escalate", Some((0, FailAction::Escalate)));
        check(" skip ", Some((0, FailAction::Skip)));
        check("retry(0), then replan", Some((0, FailAction::Replan)));
        check("recover", Some((0, FailAction::Recover)));
    }

    #[test]
    fn retries_can_be_for_what_may_pass() {
        let failures = |text: &str| parse(text).map(|policy| policy.failures);
        let (every, transient) = (RetriedFailures::Every, RetriedFailures::Transient);
        assert_eq!(failures("retry(2)"), Some(every));
        assert_eq!(failures("retry(2, transient)"), Some(transient));
        assert_eq!(failures("retry(0, transient)"), Some(every));
        check(
            "retry(3, transient), then recover",
            Some((3, FailAction::Recover)),
        );
    }

    #[test]
    fn nothing_is_guessed() {
        for text in [
            "",
            "retry",
            "retry 2",
            "retry(-1)",
            "retry(+1)",
            "retry()",
            "retry(two)",
            "retry( 2 )",
            "retry(2,transient)",
            "retry(transient)",
            "retry(2, lasting)",
            "retry(2) escalate",
            "retry(2), escalate",
            "retry(2),then escalate",
            "Retry(2)",
            "retry(2), then",
            "retry(2), then retry(3)",
            "escalate, then retry(2)",
            "give up",
            "retry(99999999999)",
            "retry(2), then escalate now",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in [
            "retry(2), then escalate",
            "abort",
            "retry(1), then skip",
            "retry(2, transient), then recover",
        ] {
            let policy = parse(text).expect("a policy");
            assert_eq!(policy.to_string(), text);
        }
    }
}
