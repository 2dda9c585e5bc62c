//! The file itself in an editor, with what the checks say about it.

use maud::{Markup, html};
use signoff_api::diagnostics::Diagnostic;

use super::problem_of;
use crate::address::path_segment;
use crate::frame::token;

/// What the screen shows.
#[derive(Debug)]
pub struct TextView<'a> {
    pub key: &'a str,
    pub title: &'a str,
    pub text: &'a str,
    /// Of the text that the editor was opened with.
    pub opened: &'a str,
    pub problems: &'a [Diagnostic],
    pub csrf: &'a str,
}

impl TextView<'_> {
    /// The screen.
    pub fn render(&self) -> Markup {
        let back = format!("/plans/{}", path_segment(self.key));
        html! {
            header.doc-head {
                p.crumbs { a href="/" { "Plans" } " / " a href=(back) { span.mono { (self.key) } } " / text" }
                h1 { (self.title) }
            }
            form method="post" action={ (back) "/text" } data-editor data-check="/api/check" data-back={ (back) "?done=edited" } {
                (token(self.csrf))
                input type="hidden" name="opened" value=(self.opened);
                p.save-refused.problem.tone-failed role="alert" hidden {}
                div.editor {
                    div.gutter aria-hidden="true" {}
                    pre.marks aria-hidden="true" {}
                    textarea.code name="text" aria-label="Text of the plan" spellcheck="false" autocomplete="off" { "\n" (self.text) }
                }
                div.editor-problems aria-live="polite" {
                    @for problem in self.problems {
                        div { span.tiny.muted { "line " (problem.line) } (problem_of(problem)) }
                    }
                }
                br;
                div.buttons { button.primary { "Save" } a.button.quiet href=(back) { "Back" } span.small.muted { "An edited plan is unsigned." } }
            }
        }
    }
}
