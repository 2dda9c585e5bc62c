//! A step as a person reads it, and the form that changes it.

use maud::{Markup, html};
use serde_json::Value;
use signoff_api::diagnostics::Diagnostic;
use signoff_api::plan::{Contract, OnFail, Step, Work};

use super::{ReviewView, problem_of};
use crate::address::path_segment;
use crate::frame::token;
use crate::problem::{code_in, prose};
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
                        // What the form has too: it takes the place of it while it is open.
                        div class={ "step-body" @if matches!(step.work, Work::Agent { .. }) { " in-form" } } {
                            (work_facts(&step.work))
                            @if let Some(contract) = &step.contract { (contract_of(contract)) }
                            @else if matches!(step.work, Work::Agent { .. }) { p.small.muted { "No contract: a person has to accept the work." } }
                        }
                        @if let Some(text) = &step.instructions { (prose(text)) }
                        (self.lists())
                        @for problem in problems { (problem_of(problem)) }
                        (super::comments::comments_of(self.review, Some(&step.id)))
                        (self.actions())
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
                @for asks in step.asks.iter().filter(|_| !step.approval) { span.tag.asks { "? asks " (code_in(asks)) } }
            }
            div.step-meta {
                a.mono href={ "#step-" (step.id) } { (step.id) }
                span { (performer(&step.work)) }
                @if !step.depends_on.is_empty() {
                    span { "after " @for (at, id) in step.depends_on.iter().take(6).enumerate() { @if at > 0 { ", " } a.mono href={ "#step-" (id) } { (id) } } @if step.depends_on.len() > 6 { " and " (step.depends_on.len() - 6) " more" } }
                } @else if step.number > 1 { span { "can start at once" } }
                @if let Some(seconds) = step.timeout_s { span { "at most " (crate::moment::format_duration(super::whole_ms(seconds))) } }
                @if let Some((_, seconds)) = took { span { "took " (crate::moment::format_duration(super::whole_ms(*seconds))) } }
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
        let lists: [(&str, &[String]); 12] = [
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
            ("Reviewer, who advises", step.reviewer.as_slice()),
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

    /// What can be done to it, closed.
    fn actions(&self) -> Markup {
        let (step, review) = (self.step, self.review);
        let base = format!(
            "/plans/{}/steps/{}",
            path_segment(review.key),
            path_segment(&step.id)
        );
        html! {
            div.step-actions {
                @if review.actions.edit { (self.edit_form(&base)) }
                @if review.actions.comment {
                    details {
                        summary { "Comment" }
                        form.step-form method="post" action={ (base) "/comment" } {
                            (self.hidden_inputs())
                            div.field { label for=(self.field("comment")) { "Comment" } textarea id=(self.field("comment")) name="text" required data-key="c" {} }
                            button.primary { "Comment" }
                        }
                    }
                }
                @if review.actions.edit { (self.planner_form()) (self.order_form(&base)) }
            }
        }
    }

    fn field(&self, name: &str) -> String {
        format!("{name}-{}", self.step.id)
    }

    fn hidden_inputs(&self) -> Markup {
        let review = self.review;
        html! { (token(review.csrf)) input type="hidden" name="digest" value=(review.plan.digest); }
    }

    fn edit_form(&self, base: &str) -> Markup {
        let step = self.step;
        let contract = step
            .contract
            .as_ref()
            .map_or("", |one| one.command.as_str());
        let field = |name| Field {
            step: &step.id,
            name,
        };
        html! {
            details.step-edit {
                summary data-key="e" { "Edit" }
                form.step-form method="post" action={ (base) "/edit" } data-checks={ (base) "/check" } {
                    (self.hidden_inputs())
                    div.form-grid {
                        (field("title").line_input("Title", &step.title, Some("wide")))
                        @if let Work::Agent { task, .. } = &step.work { (field("task").text_input("Task", task, "")) }
                        (field("contract").text_input("Contract", contract, "code"))
                        (field("depends_on").names("Waits for", &step.depends_on.join(", "), "ids of steps, with commas", "steps"))
                        (field("on_fail").choices("If it fails", &on_fail_text(&step.on_fail), "on-fail-choices", "`retry(2), then escalate`, `escalate`, `skip`, `abort`, `replan`"))
                        @if let Work::Agent { role, .. } = &step.work { (field("target").choices("Agent", role.as_deref().unwrap_or_default(), "role-choices", "a role of the configuration")) }
                        @if matches!(step.work, Work::Agent { .. }) {
                            (field("tools").names("Tools", &tools_text(step.tools.as_deref()), "names with commas; empty: those of its role; `none`", ""))
                        }
                    }
                    div.problems data-problems-of="" aria-live="polite" {}
                    div.buttons { button.primary { "Save" } span.small.muted { "An edited plan is unsigned." } }
                }
            }
        }
    }

    fn planner_form(&self) -> Markup {
        let step = self.step;
        html! {
            details {
                summary { "Rewrite" }
                form.step-form method="post" action={ "/plans/" (path_segment(self.review.key)) "/regenerate" } {
                    (self.hidden_inputs())
                    input type="hidden" name="step" value=(step.id);
                    div.field {
                        label for=(self.field("anew")) { "What should the planner do differently?" }
                        textarea id=(self.field("anew")) name="comment" required {}
                        p.hint { "The planner rewrites this step and leaves the others. Your words are kept as a comment." }
                    }
                    button.primary { "Ask the planner" }
                }
            }
        }
    }

    fn order_form(&self, base: &str) -> Markup {
        html! {
            details {
                summary { "Move or skip" }
                div.step-form.buttons {
                    @for (to, word) in [("up", "Move up"), ("down", "Move down")] {
                        form method="post" action={ (base) "/move" } { (self.hidden_inputs()) input type="hidden" name="to" value=(to); button { (word) } }
                    }
                    form method="post" action={ (base) "/skip" } { (self.hidden_inputs()) button.danger { "Skip this step" } }
                    span.small.muted { "A skipped step stays in the plan and is left out of runs." }
                }
            }
        }
    }
}

/// A field of a form of a step, with a place for what is wrong with it.
struct Field<'a> {
    step: &'a str,
    name: &'a str,
}

impl Field<'_> {
    fn id(&self) -> String {
        format!("{}-{}", self.name, self.step)
    }

    fn labelled_field(&self, label: &str, class: Option<&str>, inside: &Markup) -> Markup {
        html! {
            div class={ "field " (class.unwrap_or_default()) } {
                label for=(self.id()) { (label) }
                (inside)
                div.problems id={ "problems-" (self.id()) } data-problems-of=(self.name) aria-live="polite" {}
            }
        }
    }

    fn line_input(&self, label: &str, value: &str, class: Option<&str>) -> Markup {
        let input = html! { input id=(self.id()) name=(self.name) value=(value) aria-describedby={ "problems-" (self.id()) } autocomplete="off"; };
        self.labelled_field(label, class, &input)
    }

    fn text_input(&self, label: &str, value: &str, class: &str) -> Markup {
        let rows = if class == "code" { "2" } else { "4" };
        let spelling = if class == "code" { "false" } else { "true" };
        let area = html! { textarea class=(class) id=(self.id()) name=(self.name) rows=(rows) spellcheck=(spelling) aria-describedby={ "problems-" (self.id()) } { "\n" (value) } };
        self.labelled_field(label, Some("wide"), &area)
    }

    fn names(&self, label: &str, value: &str, hint: &str, suggests: &str) -> Markup {
        let suggests = Some(suggests).filter(|suggests| !suggests.is_empty());
        let input = html! {
            input.code id=(self.id()) name=(self.name) value=(value) spellcheck="false" autocomplete="off" data-suggests=[suggests] aria-describedby={ "problems-" (self.id()) };
            p.hint { (code_in(hint)) }
        };
        self.labelled_field(label, None, &input)
    }

    fn choices(&self, label: &str, value: &str, list: &str, hint: &str) -> Markup {
        let input = html! {
            input.code id=(self.id()) name=(self.name) value=(value) spellcheck="false" autocomplete="off" list=(list) aria-describedby={ "problems-" (self.id()) };
            p.hint { (code_in(hint)) }
        };
        self.labelled_field(label, None, &input)
    }
}

/// The form of a new step at the end.
pub(super) fn add_form(review: &ReviewView<'_>) -> Markup {
    let base = format!("/plans/{}/steps", path_segment(review.key));
    let field = |name| Field { step: "new", name };
    let roles = review
        .plan
        .steps
        .iter()
        .filter_map(|step| match &step.work {
            Work::Agent { role, .. } => role.as_deref(),
            Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
        });
    let mut roles: Vec<&str> = roles.collect();
    // Most likely it is for the agent of the step before.
    let usual = roles.last().copied().unwrap_or_default();
    roles.sort_unstable();
    roles.dedup();
    html! {
        details.add-step {
            summary.button { "Add a step" }
            form.step-form method="post" action=(base) data-checks={ (base) "/check" } {
                (token(review.csrf))
                input type="hidden" name="digest" value=(review.plan.digest);
                (field("title").line_input("Title", "", None))
                (field("task").text_input("Task", "", ""))
                (field("contract").text_input("Contract", "", "code"))
                div.form-grid {
                    (field("depends_on").names("Waits for", "", "ids of steps, with commas; empty: all before it", "steps"))
                    (field("target").choices("Agent", usual, "role-choices", "a role of the configuration"))
                }
                div.problems data-problems-of="" aria-live="polite" {}
                button.primary { "Add" }
            }
        }
        datalist #role-choices { @for role in roles { option value=(role) {} } }
        datalist #on-fail-choices {
            @for choice in ["retry(1), then escalate", "retry(2), then escalate", "escalate", "skip", "abort", "replan", "recover"] { option value=(choice) {} }
        }
    }
}

/// A failure policy as people type it.
pub fn on_fail_text(policy: &OnFail) -> String {
    let OnFail {
        retries,
        failures,
        then,
    } = policy;
    match (*retries, failures.as_str()) {
        (0, _) => then.clone(),
        (times, "transient") => format!("retry({times}, transient), then {then}"),
        (times, _) => format!("retry({times}), then {then}"),
    }
}

/// A tool scope as people type it; empty where there is none.
pub fn tools_text(tools: Option<&[String]>) -> String {
    match tools {
        None => String::new(),
        Some([]) => "none".to_owned(),
        Some(tools) => tools.join(", "),
    }
}

fn performer(work: &Work) -> Markup {
    html! {
        @match work {
            Work::Agent { role, .. } => { "agent " span.mono { (role.as_deref().unwrap_or("default")) } },
            Work::Tool { tool, .. } => { "tool " span.mono { (tool) } },
            Work::Ask { .. } => "a person answers",
            Work::Check => "only checks",
        }
    }
}

fn work_facts(work: &Work) -> Markup {
    html! {
        @match work {
            Work::Agent { task, .. } => (prose(task)),
            Work::Tool { args, .. } => (arguments(args)),
            Work::Ask { question, choices } => {
                (prose(question))
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

#[cfg(test)]
mod tests {
    use signoff_api::plan::OnFail;

    use super::{on_fail_text, tools_text};

    #[test]
    fn values_are_shown_as_they_can_be_typed() {
        for (retries, failures, expected) in [
            (0, "every", "escalate"),
            (2, "every", "retry(2), then escalate"),
            (2, "transient", "retry(2, transient), then escalate"),
        ] {
            let policy = OnFail {
                retries,
                failures: failures.to_owned(),
                then: "escalate".to_owned(),
            };
            assert_eq!(on_fail_text(&policy), expected);
        }
        assert_eq!(tools_text(None), "");
        assert_eq!(tools_text(Some(&[])), "none");
        assert_eq!(tools_text(Some(&["a".to_owned(), "b".to_owned()])), "a, b");
    }
}
