//! Signing in, with the code that was shown where the server was started, or with a token.

use maud::{Markup, html};

use crate::frame::{logo, page_without_bar};

/// What the form shows.
#[derive(Debug)]
pub struct SignInView<'a> {
    /// The page to go on to.
    pub next: &'a str,
    /// What was wrong with the last try.
    pub message: Option<&'a str>,
    /// People sign in with a token of their own, and not with the code.
    pub by_token: bool,
}

impl SignInView<'_> {
    /// The whole page.
    pub fn render(&self) -> Markup {
        page_without_bar(
            "Sign in",
            &html! {
                section.sign-in aria-labelledby="title" {
                    p.brand { (logo()) }
                    h1 #title { "Sign in to Signoff" }
                    p.muted.field {
                        @if self.by_token { "With your token, as whoever runs this server gave it to you." }
                        @else { "With the code that Signoff shows in the terminal where you started it. It is good for one use." }
                    }
                    @if let Some(message) = self.message {
                        div.field { div.notice.tone-failed role="alert" {
                            span.sign aria-hidden="true" { "✗" }
                            div.body { (message) }
                        } }
                    }
                    form method="post" action="/sign-in" {
                        input type="hidden" name="next" value=(self.next);
                        @if self.by_token {
                            div.field {
                                label for="token" { "Token" }
                                input #token name="token" type="password" autocomplete="current-password" required autofocus;
                            }
                        } @else {
                            div.field {
                                label for="code" { "Code" }
                                input.code #code name="code" autocomplete="one-time-code" spellcheck="false" required autofocus;
                            }
                        }
                        button.primary { "Sign in" }
                    }
                }
            },
        )
    }
}
