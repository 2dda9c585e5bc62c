//! Reviewing a plan: the document first; state, differences and the signature beside it.

mod comments;
mod differences;
pub mod key;
pub mod signing;
pub mod step;
pub mod text;

use maud::{Markup, PreEscaped, html};
use signoff_api::diagnostics::Diagnostic;
use signoff_api::diff::Diff;
use signoff_api::plan::{Budget, Plan};
use signoff_api::regeneration::{Regeneration, RegenerationState};

pub use self::signing::{PlanActions, SigningView};
use self::step::StepView;
use crate::address::path_segment;
use crate::moment::{format_duration, time};
use crate::problem::{code_in, prose};
use crate::state::of_plan;
use crate::words::count::count;

/// Steps that are sent at once: each is about 4 kB, with its forms.
pub const PAGE: usize = 50;

/// What the screen shows.
#[derive(Debug)]
pub struct ReviewView<'a> {
    pub plan: &'a Plan,
    /// Its name in addresses.
    pub key: &'a str,
    /// Its file, as it can be typed.
    pub path: &'a str,
    /// Who handed it in, and when.
    pub by: Option<&'a str>,
    pub at: Option<&'a str>,
    pub problems: &'a [Diagnostic],
    /// What differs from the version that was signed last, or that a run carries out.
    pub difference: Option<&'a Diff>,
    /// The run that waits for this plan as its new version.
    pub replaces_in: Option<&'a str>,
    pub signing: &'a SigningView<'a>,
    pub actions: &'a PlanActions,
    /// The drawing, as `graph` makes it.
    pub graph: Option<&'a str>,
    /// The run that decides its state.
    pub run: Option<&'a str>,
    /// Seconds that each step took in that run, by id.
    pub took: &'a [(String, f64)],
    /// Milliseconds that the whole run took, once it is over.
    pub lasted: Option<u64>,
    /// What a planner that was asked to write it anew does, or why it did not.
    pub regeneration: Option<&'a Regeneration>,
    /// The first step that is shown, from 0.
    pub from: usize,
    pub csrf: &'a str,
    pub now: u64,
}

impl ReviewView<'_> {
    /// The screen.
    pub fn render(&self) -> Markup {
        html! {
            div #review data-live data-plan=(self.key) data-digest=(self.plan.digest) {
                (self.head())
                (self.planner())
                div.columns {
                    div {
                        (self.rejections())
                        (differences::section(self))
                        (self.general_problems())
                        (self.plan_facts())
                        (self.steps())
                        (comments::section(self))
                    }
                    aside.beside aria-label="Decision" {
                        (self.signing.render(self))
                        @if let Some(graph) = self.graph { (graph_card(graph)) }
                    }
                }
            }
        }
    }

    /// Only the steps from `from` on, for a page that has those before.
    pub fn more_steps(&self) -> Markup {
        html! { (self.step_list()) }
    }

    fn head(&self) -> Markup {
        let plan = self.plan;
        html! {
            header.doc-head {
                p.crumbs { a href="/" { "Plans" } " / " span.mono { (self.key) } }
                div.title-row {
                    h1 { (plan.title.as_deref().unwrap_or(self.key)) }
                    div.buttons.no-wrap {
                        @if self.actions.can_decide() { a.button.to-decision href="#decision" { "Decide" } }
                        @if self.actions.edit { a.button href={ "/plans/" (path_segment(self.key)) "/text" } data-key="e" { "Edit the text" } }
                    }
                }
                div.meta {
                    (of_plan(&plan.status).label())
                    @if let Some(version) = plan.version { span { "version " (version) } }
                    @if let Some(by) = self.by { span { "by " strong { (by) } } }
                    @if let Some(at) = self.at { span { (time(at, self.now)) } }
                    span { (count(plan.steps.len(), "step")) }
                    @if let Some(run) = self.run { a href={ "/runs/" (run) } { "run " span.mono { (run) } } }
                    @if let Some(difference) = self.difference.filter(|one| !one.equal) {
                        a.state.tone-regressed href="#differences" { span.sign aria-hidden="true" { "!" } "differs from what was signed: " (count(difference.changes.len() + difference.terms.len(), "change")) }
                    }
                }
            }
        }
    }

    /// What became of the planner that somebody asked.
    fn planner(&self) -> Markup {
        html! {
            @if let Some(asked) = self.regeneration {
                div.section #planner data-polls[asked.state == RegenerationState::Running] {
                    @let tone = if asked.state == RegenerationState::Running { "running" } else { "failed" };
                    div class={ "notice tone-" (tone) } role="status" {
                        @if asked.state == RegenerationState::Running {
                            span.sign.pulse aria-hidden="true" { "●" }
                            div.body {
                                p { "The planner rewrites " @match &asked.step { Some(step) => { "step " code { (step) } }, None => "the plan" } ". The plan changes when it is done, and not before." }
                                @if let Some(line) = asked.progress.last() { p.small.muted { (line) } }
                                noscript { p.small { a href={ "/plans/" (path_segment(self.key)) } { "Look again" } } }
                            }
                        } @else {
                            span.sign aria-hidden="true" { "✗" }
                            div.body {
                                p { "The planner did not rewrite it; the plan is as it was." }
                                @if let Some(error) = &asked.error {
                                    p.small { (code_in(&error.message)) }
                                    @for hint in &error.hints { p.small.muted { "→ " (code_in(hint)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    fn rejections(&self) -> Markup {
        let last = self.plan.rejections.last().filter(|_| {
            matches!(
                self.plan.status.as_str(),
                "rejected" | "needs_review" | "proposed"
            )
        });
        html! {
            @if let Some(rejection) = last {
                div.section { div.notice.tone-regressed {
                    span.sign aria-hidden="true" { "!" }
                    div.body {
                        strong { @if let Some(version) = rejection.version { "Version " (version) " was rejected" } @else { "It was rejected" } }
                        @if let Some(feedback) = &rejection.feedback { (prose(feedback)) }
                    }
                } }
            }
        }
    }

    /// Problems that are of no step that is shown.
    fn general_problems(&self) -> Markup {
        let has_step = |one: &&Diagnostic| {
            self.plan
                .steps
                .iter()
                .any(|step| Some(&step.id) == one.step.as_ref())
        };
        let of_plan: Vec<&Diagnostic> = self.problems.iter().filter(|one| !has_step(one)).collect();
        html! {
            @if !of_plan.is_empty() {
                section.section aria-label="Problems of the plan" { div.comments { @for problem in of_plan { (problem_of(problem)) } } }
            }
        }
    }

    fn plan_facts(&self) -> Markup {
        let plan = self.plan;
        html! {
            section.section aria-label="About the plan" {
                div.step-body {
                    @for text in plan.task.iter().chain(&plan.context) { (prose(text)) }
                    dl.facts {
                        (list_fact("Constraints", &plan.constraints))
                        (list_fact("Risks", &plan.risks))
                        @if let Some(budget) = budget(&plan.budget) { dt { "Budget" } dd { (budget) } }
                        @if let Some(tools) = &plan.tools { dt { "Tools" } dd.mono { @if tools.is_empty() { "none" } @else { (tools.join(", ")) } } }
                        @if let Some(model) = &plan.executor_model { dt { "Model" } dd.mono { (model) } }
                        @if let Some(seconds) = plan.metadata.get("estimated_duration").and_then(serde_json::Value::as_f64) {
                            dt { "Estimated" } dd { (format_duration(whole_ms(seconds))) @if let Some(took) = self.lasted { " · it took " (format_duration(took)) } }
                        } @else if let Some(took) = self.lasted { dt { "Took" } dd { (format_duration(took)) } }
                        @if let Some(priority) = &plan.priority { dt { "Priority" } dd { (priority) } }
                        @if let Some(previous) = &plan.previous { dt { "Replaces" } dd.mono { (previous) } }
                        @for (name, value) in &plan.params { dt { "Parameter" } dd.mono { (name) " = " (value) } }
                        @if let Some(owner) = &plan.owner { dt { "Owner" } dd { (owner) } }
                        dt { "File" } dd { span.mono { (self.path) } span.muted { " · " (plan.dialect) } }
                    }
                }
            }
        }
    }

    fn steps(&self) -> Markup {
        html! {
            section.section aria-labelledby="steps-title" {
                h2 #steps-title { "Steps" }
                @if self.plan.steps.is_empty() { p.muted { "This plan has no steps yet." } }
                div.steps #steps data-steps { (self.step_list()) }
                @if self.actions.edit { (step::add_form(self)) }
            }
        }
    }

    fn step_list(&self) -> Markup {
        let shown = self.plan.steps.iter().skip(self.from).take(PAGE);
        let next = self.from.saturating_add(PAGE);
        let left = self.plan.steps.len().saturating_sub(next);
        html! {
            @for step in shown { (StepView { review: self, step }.render()) }
            @if left > 0 {
                div.more #more { a.button href={ "/plans/" (path_segment(self.key)) "?from=" (next) } data-more { "Show more steps (" (left) " left)" } }
            }
        }
    }
}

fn graph_card(graph: &str) -> Markup {
    html! {
        section.card #graph-card aria-label="Graph" {
            header { h2 { "Graph" } a.small href="#graph-card" data-key="g" data-enlarges="graph-card" { "Enlarge" } }
            div.graph #graph tabindex="0" role="group" aria-label="Graph of the steps" { (PreEscaped(graph)) }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "durations are small and not negative"
)]
fn whole_ms(seconds: f64) -> u64 {
    (seconds * 1000.0) as u64
}

fn list_fact(name: &str, values: &[String]) -> Markup {
    html! {
        @if !values.is_empty() {
            dt { (name) }
            dd { ul { @for value in values { li { (value) } } } }
        }
    }
}

fn budget(budget: &Budget) -> Option<String> {
    let mut parts = Vec::new();
    parts.extend(budget.usd.map(|usd| format!("${usd:.2}")));
    parts.extend(budget.tokens.map(|tokens| format!("{tokens} tokens")));
    parts.extend(
        budget
            .wall_s
            .map(|seconds| format!("at most {}", format_duration(whole_ms(seconds)))),
    );
    parts.extend(budget.agents.map(|agents| format!("{agents} agents")));
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// A problem with its fix.
pub(crate) fn problem_of(problem: &Diagnostic) -> Markup {
    let (sign, tone) = match problem.severity.as_str() {
        "error" => ("✗", "failed"),
        "warning" => ("⚠", "regressed"),
        _ => ("i", "held"),
    };
    html! {
        div class={ "problem tone-" (tone) } {
            span.sign aria-hidden="true" { (sign) }
            div { (code_in(&problem.message)) " " span.muted.tiny { (problem.severity) " · " code { (problem.code) } } }
            @if let Some(help) = &problem.help { div.help { "→ " (code_in(help)) } }
        }
    }
}
