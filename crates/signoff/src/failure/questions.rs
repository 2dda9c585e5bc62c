//! Questions that no run asks.

use super::Failure;

pub(super) fn bad_question(why: &str) -> Failure {
    Failure::new(2, "bad-question", format!("this cannot be asked: {why}"))
        .hint("ask one thing, in a few sentences, that a person can answer")
}

pub(super) fn answered(name: &str, by: &str, text: &str) -> Failure {
    let message = format!("`{name}` is answered already: {by} said {text:?}");
    Failure::new(5, "answered", message).hint("`signoff inbox` shows what waits, and the choices")
}

pub(super) fn not_offered(text: &str, choices: &[String]) -> Failure {
    let offered = choices.join("`, `");
    Failure::new(2, "bad-choice", format!("`{text}` is none of the answers"))
        .hint(format!("the answers are `{offered}`"))
}
