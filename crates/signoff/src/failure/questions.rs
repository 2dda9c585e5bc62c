//! Questions that no run asks.

use super::Failure;

pub(super) fn bad_question() -> Failure {
    Failure::of(2, "bad-question")
        .hint("ask one thing, in a few sentences, that a person can answer")
}

pub(super) fn already_answered() -> Failure {
    Failure::of(5, "answered").hint("`signoff inbox` shows what waits, and the choices")
}

pub(super) fn not_offered(choices: &[String]) -> Failure {
    let offered = choices.join("`, `");
    Failure::of(2, "bad-choice").hint(format!("the answers are `{offered}`"))
}
