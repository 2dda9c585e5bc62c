//! Everything that waits on a person: one card for each question, with what is needed to answer it.

use maud::{Markup, html};
use signoff_api::inbox::{HeldFiles, Item, StepDetails};
use signoff_engine::InboxKind;

use crate::address::path_segment;
use crate::frame::token;
use crate::output::patch;
use crate::problem::code_in;
use crate::words::count::count;

/// What the screen shows.
#[derive(Debug)]
pub struct InboxView<'a> {
    pub items: &'a [Item],
    pub held: &'a [HeldFiles],
    /// Runs that cannot be read, with the reason.
    pub unreadable: &'a [String],
    pub csrf: &'a str,
}

impl InboxView<'_> {
    /// The screen.
    pub fn render(&self) -> Markup {
        html! {
            div #inbox.questions data-live {
                div.head-row {
                    h1 { "Inbox" }
                    @if !self.items.is_empty() { span.muted { (count(self.items.len(), "question")) } }
                }
                @if self.items.is_empty() && self.held.is_empty() { (empty_inbox()) }
                @else { p.empty.when-answered { "Nothing else waits for you." } }
                @for item in self.items { (question(item, self.csrf)) }
                @for held in self.held { (held_files(held, self.csrf)) }
                @for problem in self.unreadable {
                    div.notice.tone-regressed { span.sign { "!" } div.body { (problem) } }
                }
            }
        }
    }
}

fn empty_inbox() -> Markup {
    html! {
        div.empty {
            h2 { "Nothing waits for you" }
            p { "Questions of runs and agents appear here: a step that failed too often, a call that needs your approval, a file of a run that is held back from your checkout." }
        }
    }
}

/// What kind of question it is, for who has never seen one.
fn kind_in_words(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::Escalation => "needs a decision",
        InboxKind::Acceptance => "to accept",
        InboxKind::Budget => "budget is used up",
        InboxKind::Approval => "needs your approval",
        InboxKind::Question => "question",
        InboxKind::UnknownCall => "call without a known end",
        InboxKind::Revision => "plan has to change",
        InboxKind::Permission => "asks for permission",
        InboxKind::NewVersion => "new version to sign",
    }
}

/// One question with its answers.
pub(crate) fn question(item: &Item, csrf: &str) -> Markup {
    let id = path_segment(&item.id);
    html! {
        article.question id=(id) data-item data-question=(item.id) aria-labelledby={ "q-" (id) } {
            header {
                div.step-meta {
                    span.state.tone-waiting { span.sign aria-hidden="true" { "?" } (kind_in_words(item.kind)) }
                    @if !item.run.is_empty() {
                        a href={ "/runs/" (item.run) "#step-" (path_segment(&item.step)) } { (item.title) @if !item.step.is_empty() { " · " span.mono { (item.step) } } }
                    }
                }
                h2 id={ "q-" (id) } { (code_in(&item.question)) }
            }
            @if !item.about.is_empty() {
                div.context { @for step in &item.about { (details(step)) } }
            }
            form.answer method="post" action="/inbox" data-answer {
                (token(csrf))
                input type="hidden" name="item" value=(item.id);
                div.field {
                    label for={ "note-" (id) } { "Note " span.muted { "(optional)" } }
                    input id={ "note-" (id) } name="note" autocomplete="off" placeholder=(note_hint(item));
                }
                div.choices role="group" aria-label="Answer" {
                    @for choice in &item.choices {
                        button class={ "choice" @if choice == "abort" { " danger" } } name="choice" value=(choice) {
                            span.word { (choice.replace('_', " ")) }
                            @if let Some(meaning) = item.meanings.get(choice) { span.leads-to { (in_the_page(meaning)) } }
                        }
                    }
                }
            }
        }
    }
}

fn note_hint(item: &Item) -> &'static str {
    if item.choices.iter().any(|choice| choice == "reply") {
        "your answer"
    } else {
        "advice for the next attempt, or the reason"
    }
}

/// A meaning without the options of the command line.
fn in_the_page(meaning: &str) -> String {
    meaning
        .replace("`--note TEXT`", "the note")
        .split("; `--args")
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn details(step: &StepDetails) -> Markup {
    html! {
        section {
            h3 { (step.title) @if step.attempts > 0 { span.muted { " · " (count(step.attempts as usize, "attempt")) } } }
            @if let Some(command) = &step.command {
                div.contract {
                    div.line { span.prompt { "$" } code { (command) } }
                    @if let Some(ended) = &step.ended { div.terms { span.first-failure { "✗ " (ended) } } }
                }
            }
            @if !step.output.is_empty() { pre.output.wrap tabindex="0" aria-label="Output of the contract" { (step.output.join("\n")) } }
            @if let Some(ended) = &step.agent_ended { p.small { "The agent ended with " (ended) "." } }
            @if let Some(said) = &step.said {
                details { summary.plain.small { "What the agent said last" } p.prose.small { (said) } }
            }
            @match (&step.diff, &step.changed) {
                (Some(diff), _) => details { summary.plain.small { "What it changed" } (patch(diff)) },
                (None, Some(files)) if !files.is_empty() => p.small.muted { "It changed " (files.join(", ")) },
                _ => {},
            }
        }
    }
}

fn held_files(held: &HeldFiles, csrf: &str) -> Markup {
    let id = format!("held-{}", path_segment(&held.run));
    html! {
        article.question id=(id) data-item aria-labelledby={ "q-" (id) } {
            header {
                div.step-meta {
                    span.state.tone-regressed { span.sign aria-hidden="true" { "!" } "held back" }
                    a href={ "/runs/" (held.run) } { (held.title) }
                }
                h2 id={ "q-" (id) } { (count(held.files.len(), "file")) " held back from your checkout" }
            }
            (settle_form(&held.run, &held.files, csrf))
        }
    }
}

/// Files that are held back from the checkout, and what may become of them.
pub(crate) fn settle_form(run: &str, files: &[String], csrf: &str) -> Markup {
    let field = format!("settle-{run}");
    html! {
        div.context {
            ul.held-files { @for file in files { li { (code_in(file)) } } }
            p.small.muted { "Your versions are in your checkout, the run's are kept with the run: " code { "signoff land " (run) } " shows how to compare them." }
        }
        form.answer method="post" action={ "/runs/" (path_segment(run)) "/land" } {
            (token(csrf))
            @if files.len() > 1 {
                div.field {
                    label for=(field) { "Which one? " span.muted { "(optional)" } }
                    input.code id=(field) name="path" autocomplete="off" spellcheck="false" placeholder="all of them";
                }
            }
            div.choices role="group" aria-label="What becomes of them" {
                button.choice name="settle" value="keep" {
                    span.word { "Keep mine" }
                    span.leads-to { "your checkout stays as it is" }
                }
                button.choice.danger name="settle" value="take" {
                    span.word { "Take the run's" }
                    span.leads-to { "yours are overwritten" }
                }
            }
        }
    }
}
