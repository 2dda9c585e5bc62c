//! A run: how far it is, and for every step what was tried and how we know.

pub mod step;
mod tally;

use maud::{Markup, PreEscaped, html};
use signoff_api::event::{Isolation, Outcome};
use signoff_api::report::{ReportedSignature, ReportedStep};
use signoff_api::run::{Run, RunStep};

use self::step::{StepDetail, StepRow};
pub use self::tally::StepTally;
use crate::address::path_segment;
use crate::frame::token;
use crate::moment::{format_duration, millis, millis_between, time};
use crate::state::of_run;
use crate::timeline::{StepTimes, timeline};
use crate::words::count::count;

/// Steps that are sent at once.
pub const PAGE: usize = 200;

/// What the screen shows.
#[derive(Debug)]
pub struct RunView<'a> {
    /// With all of its steps, or with those that the picture of their times and [`RunView::step`] ask for.
    pub run: &'a Run,
    /// What was tried at each of these steps.
    pub told: &'a [ReportedStep],
    /// What became of all steps.
    pub tally: StepTally,
    /// Steps with times that are not among these.
    pub earlier: usize,
    /// What it went on under.
    pub signatures: &'a [ReportedSignature],
    pub graph: Option<&'a str>,
    pub actions: &'a RunActions,
    /// What its steps change comes into the checkout by itself.
    pub lands_files: bool,
    /// Dollars that the plan allows.
    pub budget: Option<f64>,
    /// The step that is open, with everything about it.
    pub open: Option<&'a StepDetail<'a>>,
    /// The first step that is shown, from 0.
    pub from: usize,
    pub csrf: &'a str,
    pub now: u64,
}

/// What can be done to the run now.
#[derive(Debug, Default, Clone)]
pub struct RunActions {
    pub pause: bool,
    pub resume: bool,
    pub stop: bool,
    pub land: bool,
    pub undo: bool,
    pub abort: bool,
    /// A step can be tried again or skipped.
    pub steps: bool,
    /// It has ended, and its process has not yet.
    pub is_leaving: bool,
}

impl RunView<'_> {
    /// The screen.
    pub fn render(&self) -> Markup {
        let run = self.run;
        html! {
            div #run data-live data-run=(run.run) {
                (self.run_head())
                (self.inbox())
                (self.held_files())
                div.columns.aside-first {
                    div {
                        section.section aria-labelledby="steps-title" {
                            h2 #steps-title { "Steps" }
                            div.run-steps #steps { (self.steps()) }
                        }
                        (self.timeline())
                    }
                    aside.beside aria-label="Overview" {
                        @if self.graph.is_some() {
                            section.card #graph-card aria-label="Graph" {
                                header { h2 { "Graph" } a.small href="#graph-card" data-key="g" data-enlarges="graph-card" { "Enlarge" } }
                                (self.drawing())
                            }
                        }
                        (self.run_facts())
                    }
                }
            }
        }
    }

    /// What changes while the run goes on, without the steps: its size does not depend on how many have ended.
    pub fn run_head(&self) -> Markup {
        let run = self.run;
        html! {
            header.doc-head #run-head data-status=(run.status) {
                p.crumbs { a href="/runs" { "Runs" } " / " span.mono { (run.run) } }
                div.title-row {
                    h1 { (run.title) }
                    a.button href={ "/runs/" (run.run) "/report" } { "Report" }
                }
                div.meta {
                    (of_run(&run.status, run.inbox.len()).label())
                    @if let Some(reason) = run.paused.filter(|_| run.inbox.is_empty()) { span { "paused: " (format!("{reason:?}").to_lowercase()) } }
                    @if self.actions.is_leaving { span.state.tone-running { span.sign.pulse aria-hidden="true" { "●" } "tidying up" } }
                    a href={ "/plans/" (path_segment(&run.plan)) } { "plan " span.mono { (run.plan) } }
                    span { "began " (time(&run.started_at, self.now)) }
                }
                @if run.outcome.is_some() || run.undone { p.sentence { (outcome_sentence(run, &self.tally)) @if let Some(words) = self.whereabouts() { " " (words) } } }
                div.run-bar { (self.figures()) (self.buttons()) }
            }
        }
    }

    /// All of that: the head, the questions, the timeline, and the graph where one is given.
    pub fn live_attributes(&self) -> Markup {
        html! { (self.run_head()) (self.inbox()) (self.timeline()) (self.drawing()) }
    }

    /// Where the result of a run that has ended is.
    fn whereabouts(&self) -> Option<&'static str> {
        let run = self.run;
        if run.undone {
            return Some("What it had brought into your checkout was taken out again.");
        }
        let is_shared = run.isolation == Some(Isolation::Shared);
        // Of a run that failed, only some is there, and not all of it can be brought there.
        let is_done = run.held.is_empty() && run.outcome != Some(Outcome::Failed);
        let is_landed = run.landed.is_some() || (self.lands_files && is_done);
        let is_waiting = self.actions.land && is_done;
        [
            (is_shared, "It worked in your checkout itself."),
            (is_landed, "What it changed is in your checkout."),
            (
                is_waiting,
                "What it changed is not in your checkout yet: bring it there when you have looked at it.",
            ),
        ]
        .into_iter()
        .find_map(|(holds, words)| holds.then_some(words))
    }

    fn drawing(&self) -> Markup {
        html! {
            @if let Some(graph) = self.graph {
                div.graph #graph tabindex="0" role="group" aria-label="Graph of the steps" { (PreEscaped(graph)) }
            }
        }
    }

    fn figures(&self) -> Markup {
        let run = self.run;
        let until = if run.outcome.is_some() {
            millis(&run.updated_at)
        } else {
            Some(self.now)
        };
        let wall = until.and_then(|until| Some(until.saturating_sub(millis(&run.started_at)?)));
        let used = run.usage.as_ref().map(|usage| &usage.total);
        html! {
            dl.run-figures {
                div.figure { dt { "Steps" } dd { (self.tally.ended) " " small { "of " (self.tally.steps) } } }
                @if let Some(wall) = wall { div.figure { dt { "Time" } dd { (format_duration(wall)) } } }
                @if let Some(used) = used {
                    div.figure { dt { "Cost" } dd {
                        @match used.usd { Some(usd) => { @if used.usd_is_partial { "≥ " } (format!("${usd:.2}")) }, None => "unknown" }
                        @if let Some(limit) = self.budget { " " small { "of " (format!("${limit:.2}")) } }
                    } }
                    div.figure { dt { "Tokens" } dd { (signoff_engine::tokens_text(used.tokens)) } }
                }
                div.figure.evidence {
                    dt { "Evidence" }
                    dd { (self.tally.grades()) }
                    @for meaning in self.tally.meanings() { dd.meaning { (meaning) } }
                }
            }
        }
    }

    fn buttons(&self) -> Markup {
        let actions = self.actions;
        let all = [
            (
                actions.pause,
                "pause",
                "Pause",
                "",
                "nothing new starts; agents at work finish",
            ),
            (
                actions.resume,
                "resume",
                "Resume",
                if self.run.inbox.is_empty() {
                    "primary"
                } else {
                    ""
                },
                "it goes on, in a process of its own",
            ),
            (
                actions.land && self.run.held.is_empty(),
                "land",
                "Bring into the checkout",
                "primary",
                "its commits become files of yours",
            ),
            (
                actions.stop,
                "stop",
                "Stop",
                "",
                "agents end now; it can be resumed",
            ),
        ];
        let confirmed = [
            (
                actions.abort,
                "abort",
                "Abort",
                "It fails for good, and cannot be resumed.",
            ),
            (
                actions.undo,
                "undo",
                "Undo",
                "What it brought into your checkout is taken out again.",
            ),
        ];
        html! {
            div.buttons {
                @for (possible, name, word, class, meaning) in all {
                    @if possible {
                        form method="post" action={ "/runs/" (self.run.run) "/" (name) } {
                            (token(self.csrf))
                            button class=(class) title=(meaning) { (word) }
                        }
                    }
                }
                @for (possible, name, word, meaning) in confirmed {
                    @if possible {
                        details.confirm id={ "confirm-" (name) } {
                            summary.button { (word) "…" }
                            form method="post" action={ "/runs/" (self.run.run) "/" (name) } {
                                (token(self.csrf))
                                p.small { (meaning) }
                                button.danger { (word) " the run" }
                            }
                        }
                    }
                }
            }
        }
    }

    fn inbox(&self) -> Markup {
        let items = &self.run.inbox;
        html! {
            div #run-inbox.questions {
                @for item in items { (crate::inbox::question(item, self.csrf)) }
                @if !items.is_empty() { br; }
            }
        }
    }

    /// Files that are held back from the checkout. While it goes on it tries again by itself.
    fn held_files(&self) -> Markup {
        let run = self.run;
        html! {
            @if !run.held.is_empty() && self.actions.land {
                section.section.question aria-labelledby="held-title" {
                    header { h2 #held-title { (count(run.held.len(), "file")) " held back from your checkout" } }
                    (crate::inbox::settle_form(&run.run, &run.held, self.csrf))
                }
            } @else if !run.held.is_empty() {
                div.section { div.notice.tone-regressed {
                    span.sign aria-hidden="true" { "!" }
                    div.body {
                        "These files are held back from your checkout. It tries again when its next step is done:"
                        ul.small { @for held in &run.held { li { (crate::problem::code_in(held)) } } }
                    }
                } }
            }
        }
    }

    fn steps(&self) -> Markup {
        let run = self.run;
        let shown = run.steps.iter().enumerate().skip(self.from).take(PAGE);
        let next = self.from.saturating_add(PAGE);
        let left = run.steps.len().saturating_sub(next);
        html! {
            @for (at, step) in shown { (self.step_row(step, at)) }
            @if left > 0 { div.more #more { a.button href={ "?from=" (next) } data-more { "Show more steps (" (left) " left)" } } }
        }
    }

    /// One step, as a row; nothing if there is none of this id.
    pub fn step(&self, id: &str) -> Markup {
        let steps = &self.run.steps;
        let at = steps.iter().position(|step| step.id == id);
        let found = at.and_then(|at| Some((steps.get(at)?, at)));
        html! {
            @if let Some((step, at)) = found { (self.step_row(step, at)) }
        }
    }

    /// A step at this position of the run; most are in the report too.
    fn step_row(&self, step: &RunStep, at: usize) -> Markup {
        let is_it = |told: &&ReportedStep| told.id == step.id;
        let here = self.told.get(at).filter(is_it);
        let told = here.or_else(|| self.told.iter().find(is_it));
        let (run, now) = (self.run, self.now);
        let open = self.open.filter(|open| open.step.id == step.id);
        html! {
            @if let Some(told) = told { (step::render_row(&StepRow { run, step, told, open, now })) }
        }
    }

    fn run_facts(&self) -> Markup {
        let run = self.run;
        html! {
            section.card aria-label="About the run" { div.inside { dl.facts {
                @for signature in self.signatures {
                    dt { "Signed by" } dd { (signature.by) " " span.muted { "(proof: " (signature.proof) ")" } }
                }
                @if let Some(isolation) = run.isolation { dt { "Works in" } dd { (works_in(isolation)) } }
                @if let Some(branch) = &run.branch { dt { "Branch" } dd.mono { (branch) } }
                @if let Some(usage) = &run.usage {
                    @for (agent, used) in &usage.by_agent {
                        dt { (agent) } dd { (signoff_engine::tokens_text(used.tokens)) " tokens" @if let Some(usd) = used.usd { " · " (format!("${usd:.2}")) } }
                    }
                }
                dt { "Digest" } dd.digest title=(run.digest) { (crate::review::signing::short_digest(&run.digest)) }
            } } }
        }
    }

    fn step_times(&self) -> StepTimes<'_> {
        StepTimes {
            run: self.run,
            steps: self.told,
            earlier: self.earlier,
        }
    }

    fn timeline(&self) -> Markup {
        html! {
            section.section #timeline aria-labelledby="timeline-title" {
                @if let Some(picture) = timeline(&self.step_times(), self.now) {
                    h2 #timeline-title { "Timeline" }
                    (picture)
                }
            }
        }
    }
}

/// Where agents write.
fn works_in(isolation: Isolation) -> &'static str {
    match isolation {
        Isolation::Worktree => "trees of its own; your checkout gets the result",
        Isolation::Shared => "your checkout itself",
    }
}

/// The outcome in a sentence.
pub fn outcome_sentence(run: &Run, tally: &StepTally) -> String {
    let steps = count(tally.steps, "step");
    let grades = tally.grades();
    let took = millis_between(&run.started_at, &run.updated_at)
        .map_or_else(String::new, |took| format!(" in {}", format_duration(took)));
    match run.outcome {
        Some(Outcome::Completed) if tally.is_whole() => {
            format!("All of its {steps} are done{took}: {grades}.")
        }
        Some(Outcome::Completed) => format!("It is done{took}: {grades}."),
        Some(Outcome::Partial) => {
            format!(
                "It is done{took}, without those of its {steps} that were not critical: {grades}."
            )
        }
        Some(Outcome::Failed) => format!(
            "It failed after {}: {grades}.",
            took.trim_start_matches(" in ")
        ),
        None => format!(
            "It has not ended: {} % of its {steps} are done; {grades}.",
            run.progress
        ),
    }
}
