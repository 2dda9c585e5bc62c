//! A step as a person reads it, and the form that changes it.

use maud::{Markup, html};
use serde_json::Value;
use signoff_api::diagnostics::Diagnostic;
use signoff_api::plan::{Contract, Step, Work};

use super::{ReviewView, problem_of};
use crate::address::part;
use crate::frame::token;
use crate::problem::code_in;
use crate::state::of_step;

/// One step of a review.
#[derive(Debug)]
pub(super) struct StepView<'a> {
    pub(super) review: &'a ReviewView<'a>,
    pub(super) step: &'a Step,
}

impl StepView<'_> {
    pub(super) fn render(&self) -> Markup {
        let step = self.step;
        let skipped = if step.status == "skipped" {
            " is-skipped"
        } else {
            ""
        };
        let problems: Vec<&Diagnostic> = self
            .review
            .problems
            .iter()
            .filter(|one| one.step.as_ref() == Some(&step.id))
            .collect();
        html! {
            article class={ "step" (skipped) } id={ "step-" (step.id) } data-item data-step=(step.id) aria-label={ "Step " (step.number) } {
                div.step-number {
                    span { (step.number) }
                    @if self.review.actions.edit {
                        button.grip type="button" data-grip hidden aria-label={ "Move step " (step.number) ". Use alt and the arrow keys." } { "⠿" }
                    }
                }
                div {
                    (self.head())
                    div.step-body {
                        (work(&step.work))
                        @if let Some(text) = &step.instructions { p.prose { (code_in(text)) } }
                        @if let Some(contract) = &step.contract { (contract_of(contract)) }
                        @else if matches!(step.work, Work::Agent { .. }) { p.small.muted { "No contract: a person has to accept the work." } }
                        (self.lists())
                        @for problem in problems { (problem_of(problem)) }
                        (super::comments_of(self.review, Some(&step.id)))
                        @if self.review.actions.edit { (self.form()) }
                    }
                }
            }
        }
    }

    fn head(&self) -> Markup {
        let step = self.step;
        let took = self.review.took.iter().find(|(id, _)| *id == step.id);
        html! {
            div.step-head {
                h3.step-title { (step.title) }
                @if step.status != "pending" { (of_step(&step.status, None).label()) }
                @if step.approval { span.tag.asks { "? requires approval" } }
                @for asks in step.asks.iter().filter(|_| !step.approval) { span.tag.asks { "? asks " (asks) } }
            }
            div.step-meta {
                a.mono href={ "#step-" (step.id) } { (step.id) }
                span { (who(&step.work)) }
                @if !step.depends_on.is_empty() {
                    span { "after " @for (at, id) in step.depends_on.iter().take(6).enumerate() { @if at > 0 { ", " } a.mono href={ "#step-" (id) } { (id) } } @if step.depends_on.len() > 6 { " and " (step.depends_on.len() - 6) " more" } }
                } @else if step.number > 1 { span { "can start at once" } }
                @if let Some(seconds) = step.timeout_s { span { "at most " (seconds) " s" } }
                @if let Some((_, seconds)) = took { span { "took " (crate::moment::lasted(whole_ms(*seconds))) } }
                @if !step.critical { span { "not critical" } }
                span { "if it fails: " (on_fail(step)) }
            }
        }
    }

    fn lists(&self) -> Markup {
        let step = self.step;
        let tools = step.tools.clone().map(|tools| {
            if tools.is_empty() {
                vec!["none".to_owned()]
            } else {
                tools
            }
        });
        let when: Vec<String> = step.when.iter().cloned().collect();
        let each: Vec<String> = step.for_each.iter().cloned().collect();
        let hint: Vec<String> = step
            .hint
            .iter()
            .flat_map(|hint| [&hint.tool, &hint.operation, &hint.target])
            .flatten()
            .cloned()
            .collect();
        let lists: [(&str, &[String]); 11] = [
            ("Accepted when", &step.acceptance),
            ("Subtasks", &step.subtasks),
            ("Reads", &step.subscriptions),
            ("Produces", &step.produces),
            ("Protects", &step.protects),
            ("Tools", tools.as_deref().unwrap_or_default()),
            ("Only when", &when),
            ("For each", &each),
            ("Hint", &hint),
            ("Locks", &step.locks),
            ("Isolation", step.isolation.as_slice()),
        ];
        html! {
            @if lists.iter().any(|(_, values)| !values.is_empty()) {
                dl.facts {
                    @for (name, values) in lists {
                        @if !values.is_empty() { dt { (name) } dd { @for value in values { div { (value) } } } }
                    }
                }
            }
        }
    }

    /// The form to change it, closed.
    fn form(&self) -> Markup {
        let (step, review) = (self.step, self.review);
        let base = format!("/plans/{}/steps/{}", part(review.key), part(&step.id));
        let field = |name: &str| format!("{name}-{}", step.id);
        let hidden = html! { (token(review.csrf)) input type="hidden" name="digest" value=(review.plan.digest); };
        html! {
            details.step-edit {
                summary.plain.small.muted data-key="e" { "Edit, move, skip or comment" }
                div.step-form {
                    form method="post" action={ (base) "/edit" } data-checks {
                        (hidden)
                        div.form-grid {
                            div.field.wide { label for=(field("title")) { "Title" } input id=(field("title")) name="title" value=(step.title); }
                            @if let Work::Agent { task, .. } = &step.work {
                                div.field.wide { label for=(field("task")) { "Task" } textarea id=(field("task")) name="task" { (task) } }
                            }
                            div.field.wide { label for=(field("contract")) { "Contract" } textarea.code id=(field("contract")) name="contract" rows="2" spellcheck="false" { (step.contract.as_ref().map_or("", |one| one.command.as_str())) } }
                            div.field { label for=(field("depends_on")) { "Waits for" } input.code id=(field("depends_on")) name="depends_on" spellcheck="false" value=(step.depends_on.join(", ")); p.hint { "ids of steps, with commas" } }
                            div.field { label for=(field("on_fail")) { "If it fails" } input.code id=(field("on_fail")) name="on_fail" spellcheck="false" value=(format!("retry {} then {}", step.on_fail.retries, step.on_fail.then)); }
                        }
                        div.buttons { button.primary { "Save" } span.small.muted { "An edited plan is unsigned." } }
                    }
                    br;
                    div.buttons {
                        @for (to, word) in [("up", "Move up"), ("down", "Move down")] {
                            form method="post" action={ (base) "/move" } { (hidden) input type="hidden" name="to" value=(to); button { (word) } }
                        }
                        form method="post" action={ (base) "/skip" } { (hidden) button.danger { "Skip this step" } }
                    }
                    br;
                    form method="post" action={ (base) "/comment" } {
                        (hidden)
                        div.field { label for=(field("comment")) { "Comment" } textarea id=(field("comment")) name="text" required data-key="c" {} }
                        button { "Comment" }
                    }
                }
            }
        }
    }
}

/// The form of a new step at the end.
pub(super) fn add_form(review: &ReviewView<'_>) -> Markup {
    html! {
        details {
            summary.plain.small { "Add a step" }
            form.step-form method="post" action={ "/plans/" (part(review.key)) "/steps" } {
                (token(review.csrf))
                input type="hidden" name="digest" value=(review.plan.digest);
                div.field { label for="new-title" { "Title" } input #new-title name="title" required; }
                div.field { label for="new-task" { "Task" } textarea #new-task name="task" {} }
                div.field { label for="new-contract" { "Contract" } textarea.code #new-contract name="contract" rows="2" spellcheck="false" {} }
                button.primary { "Add" }
            }
        }
    }
}

fn who(work: &Work) -> Markup {
    html! {
        @match work {
            Work::Agent { role, .. } => { "agent " span.mono { (role.as_deref().unwrap_or("default")) } },
            Work::Tool { tool, .. } => { "tool " span.mono { (tool) } },
            Work::Ask { .. } => "a person answers",
            Work::Check => "only checks",
        }
    }
}

fn work(work: &Work) -> Markup {
    html! {
        @match work {
            Work::Agent { task, .. } => p.prose { (code_in(task)) },
            Work::Tool { args, .. } => (arguments(args)),
            Work::Ask { question, choices } => {
                p.prose { (code_in(question)) }
                @if !choices.is_empty() { p.small.muted { "Answers: " (choices.join(", ")) } }
            },
            Work::Check => {},
        }
    }
}

fn arguments(args: &Value) -> Markup {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    html! {
        @match args {
            Value::Object(members) if !members.is_empty() => dl.arguments {
                @for (name, value) in members { dt { (name) } dd { (text(value)) } }
            },
            Value::Object(_) | Value::Null => {},
            other => pre.wrap { (text(other)) },
        }
    }
}

/// A contract, as it is run.
pub(crate) fn contract_of(contract: &Contract) -> Markup {
    html! {
        div.contract {
            div.line { span.prompt aria-hidden="true" { "$" } code { (contract.command) } }
            div.terms {
                span { "holds if " (contract.expect.join(", ")) }
                span { (contract.shell) }
                @if let Some(seconds) = contract.timeout_s { span { "at most " (seconds) " s" } }
                @if !contract.baseline { span { "not run before the work" } }
                @if contract.holds == "once" { span { "need not hold at the end" } }
            }
        }
    }
}

fn on_fail(step: &Step) -> String {
    let then = match step.on_fail.then.as_str() {
        "escalate" => "ask a person",
        other => other,
    };
    match step.on_fail.retries {
        0 => then.to_owned(),
        1 => format!("retry once, then {then}"),
        times => format!("retry {times} times, then {then}"),
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
