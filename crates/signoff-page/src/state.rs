//! States as people see them: a sign, a word and a tone. Never the colour alone.

use maud::{Markup, html};
use signoff_api::event::Grade;

use crate::words::evidence::grade;

/// How a state is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State<'a> {
    pub sign: &'static str,
    pub word: &'a str,
    /// The colour, by its meaning.
    pub tone: &'static str,
}

impl State<'_> {
    /// A small label.
    pub fn label(&self) -> Markup {
        let pulse = if self.tone == "running" { " pulse" } else { "" };
        html! {
            span class={ "state tone-" (self.tone) } {
                span class={ "sign" (pulse) } aria-hidden="true" { (self.sign) }
                (self.word)
            }
        }
    }
}

/// The state of a step: how well it is known to be done, otherwise how far it is.
pub fn of_step(status: &str, evidence: Option<Grade>) -> State<'_> {
    if let Some(found) = evidence.filter(|_| status == "completed") {
        let (sign, tone) = match found {
            Grade::Proved => ("✓", "proved"),
            Grade::Held => ("◐", "held"),
            Grade::Observed | Grade::Accepted => ("✓", "held"),
        };
        return State {
            sign,
            word: grade(found),
            tone,
        };
    }
    let (sign, tone) = match status {
        "completed" => ("✓", "proved"),
        "running" | "verifying" => ("●", "running"),
        "waiting" => ("?", "waiting"),
        "failed" => ("✗", "failed"),
        "skipped" | "blocked" => ("–", "skipped"),
        _ => ("○", "skipped"),
    };
    State {
        sign,
        word: status,
        tone,
    }
}

/// The state of a plan.
pub fn of_plan(status: &str) -> State<'_> {
    let (sign, tone) = match status {
        "proposed" | "verified" | "needs_review" => ("?", "waiting"),
        "approved" => ("✓", "held"),
        "executing" | "replanning" => ("●", "running"),
        "completed" => ("✓", "proved"),
        "failed" => ("✗", "failed"),
        "rejected" | "stalled" => ("!", "regressed"),
        "cancelled" | "archived" => ("–", "skipped"),
        _ => ("○", "skipped"),
    };
    let word = match status {
        "verified" => "to sign",
        "proposed" => "to review",
        "approved" => "signed",
        "executing" => "running",
        "needs_review" => "needs you",
        other => other,
    };
    State { sign, word, tone }
}

/// The state of a plan or run that may wait for an answer.
pub fn of_run(status: &str, questions: usize) -> State<'_> {
    if questions > 0 && status == "executing" {
        return State {
            sign: "?",
            word: "waits for you",
            tone: "waiting",
        };
    }
    of_plan(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_has_a_sign_and_a_word() {
        for (status, evidence, expected) in [
            ("completed", Some(Grade::Proved), ("✓", "proved", "proved")),
            ("completed", Some(Grade::Held), ("◐", "held", "held")),
            ("running", None, ("●", "running", "running")),
            // Started anew: the evidence of before is not shown.
            ("running", Some(Grade::Proved), ("●", "running", "running")),
            ("waiting", None, ("?", "waiting", "waiting")),
            ("something", None, ("○", "something", "skipped")),
        ] {
            let state = of_step(status, evidence);
            assert_eq!((state.sign, state.word, state.tone), expected);
        }
        assert_eq!(of_plan("approved").word, "signed");
        // Who has never seen it must know what a question mark asks of them.
        assert_eq!(of_plan("verified").word, "to sign");
    }
}
