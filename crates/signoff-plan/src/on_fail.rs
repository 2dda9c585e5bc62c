//! The grammar of failure policies: `retry(2), then escalate`.

use crate::model::{FailAction, OnFail};

/// Reads a failure policy; anything but the grammar is `None`, never a guess.
///
/// Retries without an action end in escalation, an action alone is taken at once.
pub fn parse(text: &str) -> Option<OnFail> {
    let text = text.trim();
    if let Some(then) = action(text) {
        return Some(OnFail { retries: 0, then });
    }
    let (retries, rest) = text.strip_prefix("retry(")?.split_once(')')?;
    if !retries.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let retries = retries.parse().ok()?;
    if rest.is_empty() {
        let then = FailAction::Escalate;
        return Some(OnFail { retries, then });
    }
    let rest = rest.strip_prefix(',').unwrap_or(rest);
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let rest = rest.strip_prefix("then")?;
    let then = action(rest.strip_prefix([' ', '\t'])?.trim_start())?;
    Some(OnFail { retries, then })
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
        for text in ["retry(2), then escalate", "abort", "retry(1), then skip"] {
            let policy = parse(text).expect("a policy");
            assert_eq!(policy.to_string(), text);
        }
    }
}
