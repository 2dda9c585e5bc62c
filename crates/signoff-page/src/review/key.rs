//! Signing with a key that the server never sees: what it signs, the command for it, and a place for what that prints.

use maud::{Markup, html};

use crate::address::path_segment;
use crate::frame::token;
use crate::review::signing::short_digest;

/// What the screen shows.
#[derive(Debug)]
pub struct KeyView<'a> {
    pub key: &'a str,
    pub title: &'a str,
    pub digest: &'a str,
    pub terms: &'a str,
    /// Whose key, as the list of allowed signers calls them; empty before they have said so.
    pub principal: &'a str,
    /// What is signed, once it is known whose key signs.
    pub statement: Option<Statement<'a>>,
    pub csrf: &'a str,
}

/// What a key signs.
#[derive(Debug)]
pub struct Statement<'a> {
    /// When it was made.
    pub at: &'a str,
    /// The command that signs it.
    pub command: &'a str,
}

impl KeyView<'_> {
    /// The screen.
    pub fn render(&self) -> Markup {
        let base = format!("/plans/{}", path_segment(self.key));
        html! {
            header.doc-head {
                p.crumbs { a href="/" { "Plans" } " / " a href=(base) { span.mono { (self.key) } } " / key" }
                h1 { "Sign off “" (self.title) "” with your key" }
                p.digest { "plan " (short_digest(self.digest)) " · terms " (short_digest(self.terms)) }
            }
            ol.key-steps {
                li { (self.key_of_person(&base)) }
                @if let Some(statement) = &self.statement {
                    li { (command(statement)) }
                    li { (self.answer(&base, statement)) }
                }
            }
        }
    }

    fn key_of_person(&self, base: &str) -> Markup {
        html! {
            form method="get" action={ (base) "/key" } {
                div.field {
                    label for="principal" { "Whose key signs?" }
                    input #principal name="principal" value=(self.principal) required autocomplete="email" placeholder="you@example.org";
                    p.hint { "As the list of allowed signers calls you: mostly your address." }
                }
                @if self.statement.is_none() { button.primary { "Show the command" } }
                @else { button { "Show the command again" } }
            }
        }
    }

    fn answer(&self, base: &str, statement: &Statement<'_>) -> Markup {
        html! {
            form method="post" action={ (base) "/key" } {
                (token(self.csrf))
                @for (name, value) in [("digest", self.digest), ("terms", self.terms), ("principal", self.principal), ("at", statement.at)] {
                    input type="hidden" name=(name) value=(value);
                }
                div.field {
                    label for="signature" { "Paste what it printed" }
                    textarea.code #signature name="signature" rows="8" required spellcheck="false" autocomplete="off" placeholder="-----BEGIN SSH SIGNATURE-----" {}
                }
                button.sign { "✓ Sign off" }
            }
        }
    }
}

fn command(statement: &Statement<'_>) -> Markup {
    html! {
        p.label { "Sign it where your key is, within an hour" }
        pre.wrap #key-command tabindex="0" aria-label="Command" { (statement.command) }
        button.quiet type="button" data-copies=(statement.command) hidden { "Copy" }
        p.hint.small.muted { "Replace " code { "~/.ssh/id_ed25519" } " by your key's file; for a key in " code { "ssh-agent" } ", by its public key. The key itself never leaves your machine." }
    }
}
