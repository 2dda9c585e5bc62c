//! Failures: what happened, why, and what to do next.

use maud::{Markup, html};
use signoff_api::error::Error;

use crate::frame::{leading_on, token};
use crate::words::paragraphs::join_full_lines;

/// A form that was sent and refused: what a person wrote in it is not lost.
#[derive(Debug, Clone, Default)]
pub struct KeptForm {
    /// Where it was sent.
    pub action: String,
    pub fields: Vec<(String, String)>,
    /// The session's token; none if nobody is signed in, so that it cannot be sent again from here.
    pub csrf: Option<String>,
}

/// Fields that people write in, with their labels; `true`: of one line.
const WRITTEN: [(&str, &str, bool); 14] = [
    ("title", "Title", true),
    ("text", "Text", false),
    ("task", "Task", false),
    ("contract", "Contract", false),
    ("depends_on", "Waits for", true),
    ("on_fail", "If it fails", true),
    ("tools", "Tools", true),
    ("target", "Agent", true),
    ("feedback", "What has to change?", false),
    ("comment", "Comment", false),
    ("reason", "Why?", true),
    ("note", "Note", true),
    ("hint", "Advice", true),
    ("signature", "What your key said", false),
];

/// The screen of a failure.
pub fn screen(error: &Error) -> Markup {
    html! {
        section.problem-screen aria-labelledby="title" {
            div.notice.tone-failed {
                span.sign aria-hidden="true" { "✗" }
                div.body {
                    h1 #title { (code_in(&error.message)) }
                    @for detail in &error.details { p.muted.small { (code_in(detail)) } }
                    @if !error.hints.is_empty() {
                        ul { @for hint in &error.hints { li.small { "→ " (code_in(hint)) } } }
                    }
                    p.tiny.muted { "code " code { (error.code) } }
                }
            }
        }
    }
}

/// The same as a page of its own.
pub fn page(error: &Error, kept: Option<&KeptForm>) -> Markup {
    leading_on(
        "That did not work",
        &html! {
            (screen(error))
            @if let Some(kept) = kept.filter(|kept| kept.has_text()) { (kept.render()) }
            @else { p.ways { a.button href="/" { "All plans" } } }
        },
    )
}

impl KeptForm {
    fn has_text(&self) -> bool {
        let is_written = |name: &str| WRITTEN.iter().any(|(known, ..)| *known == name);
        (self.fields.iter()).any(|(name, text)| is_written(name) && !text.trim().is_empty())
    }

    /// Where the person came from: the plan or the run that the form is about.
    fn return_address(&self) -> String {
        let parts: Vec<&str> = self.action.split('/').take(3).collect();
        parts.join("/")
    }

    fn render(&self) -> Markup {
        let written = |name: &str| WRITTEN.into_iter().find(|(known, ..)| *known == name);
        html! {
            section.kept aria-labelledby="kept-title" {
                h2 #kept-title { "What you wrote" }
                p.muted.small { "It was not saved. Change it here and send it again, or open the current version in another tab." }
                form method="post" action=(self.action) {
                    @if let Some(csrf) = &self.csrf { (token(csrf)) }
                    @for (name, text) in self.fields.iter().filter(|(name, _)| name != "csrf") {
                        @match written(name) {
                            Some((_, label, is_line)) => (kept_field(name, label, text, is_line)),
                            None => input type="hidden" name=(name) value=(text);,
                        }
                    }
                    div.buttons {
                        @if self.csrf.is_some() { button.primary { "Send it again" } }
                        @else { a.button href="/sign-in" target="_blank" { "Sign in again" } }
                        a.button href=(self.return_address()) target="_blank" { "Open the current version" }
                    }
                }
            }
        }
    }
}

fn kept_field(name: &str, label: &str, text: &str, is_line: bool) -> Markup {
    let id = format!("kept-{name}");
    let rows = text.lines().count().clamp(3, 24);
    html! {
        div.field {
            label for=(id) { (label) }
            @if is_line { input id=(id) name=(name) value=(text); }
            @else { textarea.code id=(id) name=(name) rows=(rows) spellcheck="false" { "\n" (text) } }
        }
    }
}

/// A text that people read, in paragraphs, with the parts in back-ticks as code.
pub(crate) fn prose(text: &str) -> Markup {
    html! { p.prose { (code_in(&join_full_lines(text))) } }
}

/// A text with the parts in back-ticks as code.
pub(crate) fn code_in(text: &str) -> Markup {
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use signoff_api::error::Error;

    use super::{KeptForm, page};

    fn shown(fields: &[(&str, &str)], csrf: Option<&str>) -> String {
        let fields = fields.iter();
        let kept = KeptForm {
            action: "/plans/a.md/text".to_owned(),
            fields: fields
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect(),
            csrf: csrf.map(str::to_owned),
        };
        let error = Error::new("invalid", "no", Vec::new(), Vec::new());
        page(&error, Some(&kept)).into_string()
    }

    #[test]
    fn a_text_that_was_refused_is_there_to_be_sent_again() {
        let fields = [("csrf", "old"), ("opened", "h"), ("text", "\n<b>mine")];
        let page = shown(&fields, Some("new"));
        // The first line end after the tag is not part of the text, so that one more keeps it.
        assert!(page.contains(">\n\n&lt;b&gt;mine</textarea>"), "{page}");
        assert!(page.contains("name=\"csrf\" value=\"new\"") && !page.contains("old"));
        assert!(page.contains("name=\"opened\" value=\"h\"") && page.contains("Send it again"));
        assert!(page.contains("href=\"/plans/a.md\""), "{page}");
        let signed_out = shown(&fields, None);
        assert!(signed_out.contains("mine") && !signed_out.contains("Send it again"));
        assert!(!shown(&[("digest", "d")], Some("c")).contains("What you wrote"));
    }
}
