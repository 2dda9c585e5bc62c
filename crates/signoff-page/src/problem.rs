//! Failures: what happened, why, and what to do next.

use maud::{Markup, html};
use signoff_api::error::Error;

use crate::frame::{bare, mark};

/// The screen of a failure.
pub fn screen(error: &Error) -> Markup {
    html! {
        section.problem-screen aria-labelledby="title" {
            div.notice.tone-failed {
                span.sign aria-hidden="true" { "✗" }
                div.body {
                    h1 #title.visually-hidden { "That did not work" }
                    p { strong { (error.message) } }
                    @for detail in &error.details { p.muted.small { (detail) } }
                    @if !error.hints.is_empty() {
                        ul { @for hint in &error.hints { li.small { "→ " (code_in(hint)) } } }
                    }
                    p.tiny.muted { "code " code { (error.code) } }
                }
            }
            p { br; a.button href="/" { "All plans" } }
        }
    }
}

/// The same as a page of its own.
pub fn page(error: &Error) -> Markup {
    bare(
        "That did not work",
        &html! { p.brand { (mark()) } br; (screen(error)) },
    )
}

/// A text with the parts in back-ticks as code.
pub(crate) fn code_in(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
