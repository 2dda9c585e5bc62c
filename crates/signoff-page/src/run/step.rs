//! A step of a run: a row, and inside it everything about its attempts.

use maud::{Markup, html};
use signoff_api::report::{ReportedAttempt, ReportedStep};
use signoff_api::run::{Run, RunStep};
use signoff_api::transcript::Transcript;

use crate::address::path_segment;
use crate::moment::{format_duration, millis, millis_between};
use crate::output::{before_and_after, patch, transcript};
use crate::review::step::contract_of;
use crate::state::of_step;
use crate::words::evidence::qualified_meaning;

/// What a row shows.
#[derive(Debug)]
pub struct StepRow<'a> {
    pub run: &'a Run,
    pub step: &'a RunStep,
    pub told: &'a ReportedStep,
    pub open: Option<&'a StepDetail<'a>>,
    pub now: u64,
}

/// Everything about one attempt at a step.
#[derive(Debug)]
pub struct StepDetail<'a> {
    pub run: &'a str,
    pub step: &'a RunStep,
    pub told: &'a ReportedStep,
    /// From 1.
    pub attempt: u32,
    pub tab: Tab,
    pub transcript: Option<&'a Transcript>,
    pub prompt: Option<&'a str>,
    /// What it changed, as a patch.
    pub patch: Option<&'a str>,
    pub csrf: &'a str,
    /// It can be tried again or skipped.
    pub can_decide: bool,
}

/// What is shown of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Tab {
    #[default]
    Contract,
    Changes,
    Transcript,
    Prompt,
}

impl Tab {
    pub const ALL: [(Self, &'static str, &'static str); 4] = [
        (Self::Contract, "contract", "Contract"),
        (Self::Changes, "changes", "Changes"),
        (Self::Transcript, "transcript", "Transcript"),
        (Self::Prompt, "prompt", "Prompt"),
    ];

    /// The tab of this name.
    pub fn from_name(name: &str) -> Self {
        let found = Self::ALL.into_iter().find(|(_, known, _)| *known == name);
        found.map_or(Self::default(), |(tab, _, _)| tab)
    }
}

/// The row; its inside comes when somebody opens it.
pub fn render_row(view: &StepRow<'_>) -> Markup {
    let (step, told) = (view.step, view.told);
    let address = format!("/runs/{}/steps/{}", view.run.run, path_segment(&step.id));
    html! {
        article.run-step id={ "step-" (step.id) } data-item data-step=(step.id) data-state=(step.status) aria-label={ "Step " (told.number) ": " (step.title) } {
            details open[view.open.is_some()] data-filled=[view.open.map(|_| "yes")] data-fetches=(address) {
                summary {
                    span.step-number { (told.number) }
                    span { (of_step(&step.status, step.evidence).label()) }
                    span.name {
                        (step.title)
                        @if let Some(doing) = current_activity(view) { span.doing { (doing) } }
                    }
                    span.figures { (figures(view)) }
                }
                div.inside id={ "inside-" (step.id) } {
                    @match view.open {
                        Some(detail) => (details(detail)),
                        None => p { a href=(address) { "Show what was tried" } },
                    }
                }
            }
        }
    }
}

fn current_activity(view: &StepRow<'_>) -> Option<String> {
    let at_work = view.run.at_work.iter().find(|one| one.step == view.step.id);
    let doing = at_work
        .map(|one| one.agent.doing.clone())
        .filter(|doing| !doing.is_empty());
    let reason = || view.step.reason.clone();
    doing.or_else(reason)
}

fn figures(view: &StepRow<'_>) -> String {
    let step = view.step;
    let mut words = Vec::new();
    words.extend(step.agent.clone());
    if step.attempts > 1 {
        words.push(format!("{} attempts", step.attempts));
    }
    if let Some(used) = &step.usage {
        words.push(signoff_engine::tokens_text(used.tokens));
        words.extend(used.usd.map(|usd| format!("${usd:.2}")));
    }
    let began = step.started_at.as_deref();
    let lasts = match (began, step.ended_at.as_deref()) {
        (Some(began), Some(ended)) => millis_between(began, ended),
        (Some(began), None) if matches!(step.status.as_str(), "running" | "verifying") => {
            millis(began).map(|began| view.now.saturating_sub(began))
        }
        _ => None,
    };
    words.extend(lasts.map(format_duration));
    words.join(" · ")
}

/// Everything about an attempt.
pub fn details(detail: &StepDetail<'_>) -> Markup {
    let (step, told) = (detail.step, detail.told);
    let attempt = told
        .attempts
        .iter()
        .find(|one| one.number == detail.attempt);
    let base = format!("/runs/{}/steps/{}", detail.run, path_segment(&step.id));
    html! {
        @if says_more(step) { (sentence(step, told)) }
        @if let Some(contract) = &told.contract { (contract_of(contract)) }
        @if told.attempts.len() > 1 {
            nav.attempts aria-label="Attempts" {
                @for one in &told.attempts { (attempt_link(&base, detail, one)) }
            }
        }
        @if let Some(failed) = attempt.and_then(|one| one.failed.as_ref()).filter(|_| !has_red_contract(detail, attempt)) { p.small.first-failure { "✗ " (failed) } }
        nav.tabs aria-label="About the attempt" {
            @for (tab, name, word) in Tab::ALL {
                @if has(detail, tab) {
                    a href={ (base) "?attempt=" (detail.attempt) "&tab=" (name) } data-replaces={ "inside-" (step.id) } aria-current=[(detail.tab == tab).then_some("true")] { (word) }
                }
            }
        }
        (tab_content(detail, attempt))
        @if let Some(said) = attempt.and_then(|one| one.said.as_ref()).filter(|_| detail.tab == Tab::Contract) {
            details { summary.plain.small { "What the agent said last" } p.prose.small { (said) } }
        }
        @if detail.can_decide { (decisions(detail, &base)) }
    }
}

/// Does the contract that is shown say itself why the attempt failed?
fn has_red_contract(detail: &StepDetail<'_>, attempt: Option<&ReportedAttempt>) -> bool {
    let contract = attempt.and_then(|one| one.contract.as_ref());
    detail.tab == Tab::Contract && contract.is_some_and(|run| run.verdict == "fail")
}

fn has(detail: &StepDetail<'_>, tab: Tab) -> bool {
    match tab {
        Tab::Contract => true,
        Tab::Changes => detail.attempt > 0,
        Tab::Transcript | Tab::Prompt => {
            matches!(detail.told.work, signoff_api::plan::Work::Agent { .. }) && detail.attempt > 0
        }
    }
}

fn tab_content(detail: &StepDetail<'_>, attempt: Option<&ReportedAttempt>) -> Markup {
    html! {
        @match detail.tab {
            Tab::Contract => (before_and_after(detail.told.baseline.as_ref(), attempt.and_then(|one| one.contract.as_ref()))),
            Tab::Changes => @match (detail.patch, attempt) {
                (Some(text), _) if !text.trim().is_empty() => (patch(text)),
                (_, Some(one)) if !one.changed.is_empty() => ul.small.mono { @for path in &one.changed { li { (path) } } },
                _ => p.small.muted { "It changed nothing that was recorded." },
            },
            Tab::Transcript => @match detail.transcript {
                Some(told) => (transcript(told)),
                None => p.small.muted { "Nothing of the agent was recorded." },
            },
            Tab::Prompt => @match detail.prompt {
                Some(text) => pre.output.wrap tabindex="0" aria-label="Prompt" { (text) },
                None => p.small.muted { "The prompt was not recorded." },
            },
        }
    }
}

fn attempt_link(base: &str, detail: &StepDetail<'_>, attempt: &ReportedAttempt) -> Markup {
    let (sign, tone) = match (&attempt.contract, &attempt.ended_at) {
        (Some(run), _) if run.verdict == "pass" => ("✓", "proved"),
        (_, None) => ("●", "running"),
        (None, Some(_)) if attempt.failed.is_none() => ("✓", "held"),
        (_, Some(_)) => ("✗", "failed"),
    };
    html! {
        a class={ "state tone-" (tone) } href={ (base) "?attempt=" (attempt.number) } data-replaces={ "inside-" (detail.step.id) } aria-current=[(attempt.number == detail.attempt).then_some("true")] {
            span.sign aria-hidden="true" { (sign) } "attempt " (attempt.number)
        }
    }
}

/// Whether a sentence tells more than the row, which has the state.
fn says_more(step: &RunStep) -> bool {
    step.evidence.is_some() || step.reason.is_some()
}

/// How we know that it is done, in a sentence; or where it stands.
pub fn sentence(step: &RunStep, told: &ReportedStep) -> Markup {
    let state = of_step(&step.status, step.evidence);
    let text = explanation(step, told);
    html! {
        p class={ "sentence tone-" (state.tone) } {
            strong { (state.sign) " " (state.word) }
            @if !text.is_empty() { ": " (text) }
            "."
        }
    }
}

/// The same without the state.
pub fn explanation(step: &RunStep, told: &ReportedStep) -> String {
    let (text, room) = match (step.evidence, &step.facts) {
        (Some(grade), Some(facts)) => {
            let room = match facts.overlay_mode.as_deref() {
                Some("overlay" | "copy") => "; judged in a clean tree of the harness",
                _ => "",
            };
            (qualified_meaning(grade, facts), room)
        }
        _ => (step.reason.clone().unwrap_or_default(), ""),
    };
    let attempts = match told.attempts.len() {
        0 | 1 => String::new(),
        attempts if text.is_empty() => format!("after {attempts} attempts"),
        attempts => format!("; after {attempts} attempts"),
    };
    format!("{text}{room}{attempts}")
}

fn decisions(detail: &StepDetail<'_>, base: &str) -> Markup {
    let id = format!("hint-{}", detail.step.id);
    html! {
        div.decisions {
            form.buttons method="post" action={ (base) "/retry" } {
                (crate::frame::token(detail.csrf))
                label.visually-hidden for=(id) { "Advice for the next attempt" }
                input id=(id) name="hint" placeholder="advice for the next attempt" autocomplete="off";
                button { "Try it once more" }
            }
            form method="post" action={ (base) "/skip" } { (crate::frame::token(detail.csrf)) button.danger { "Go on without it" } }
        }
    }
}
