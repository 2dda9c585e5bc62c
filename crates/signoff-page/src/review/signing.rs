//! The decision: what a signature would cover, who gives it, and what happens then.

use maud::{Markup, html};
use signoff_api::comments::Comment;
use signoff_api::plan::{Plan, Work};

use super::ReviewView;
use crate::address::path_segment;
use crate::frame::token;
use crate::words::count::count;
use crate::words::sanitize::sanitize;

/// What is known about signing now.
#[derive(Debug)]
pub struct SigningView<'a> {
    pub person: &'a str,
    /// How it is known that it is them.
    pub proof: &'a str,
    /// Why it cannot be signed here, with what to do instead.
    pub refused: Option<&'a str>,
    /// Only a key can sign it.
    pub needs_key: bool,
    /// The signature that counts already.
    pub signed_by: Option<&'a str>,
}

/// What can be done to the plan now.
#[derive(Debug, Default, Clone)]
pub struct PlanActions {
    pub sign: bool,
    pub reject: bool,
    pub start: bool,
    pub cancel: bool,
    pub edit: bool,
    pub comment: bool,
}

impl PlanActions {
    /// Is there anything to decide about it?
    pub(super) fn can_decide(&self) -> bool {
        self.sign || self.reject || self.start
    }
}

impl SigningView<'_> {
    pub(super) fn render(&self, review: &ReviewView<'_>) -> Markup {
        let (plan, actions) = (review.plan, review.actions);
        let base = format!("/plans/{}", path_segment(review.key));
        html! {
            section.card.sign-box #decision aria-labelledby="decision-title" {
                header { h2 #decision-title { (self.heading(review)) } }
                div.inside {
                    (covered_files(plan, review))
                    @if let Some(by) = self.signed_by { p.small { "✓ Signed by " strong { (by) } ". It covers exactly this text and these terms." } }
                    @if let Some(approval) = &plan.approval { p.small { "Signatures: " strong { (approval.summary) } } }
                    @if actions.sign { (self.refusal(review)) }
                    @else if let Some(words) = where_it_stands(review) { p.small.muted { (words) } }
                    div.buttons {
                        @if actions.sign && self.needs_key { a.button.sign href={ (base) "/key" } data-key="a" { "✓ Sign off with your key" } }
                        @else if actions.sign { (self.sign_form(review, &base)) }
                        @if actions.start { (action(&base, "start", "Start", "primary start", review)) }
                        @if let Some(run) = review.run.filter(|_| !actions.sign) { a.button href={ "/runs/" (run) } { "See the run" } }
                    }
                    @if actions.sign && self.needs_key {
                        p.consequence { "Only a signature of your SSH key counts here. The next page shows the command for it." }
                    } @else if actions.sign && self.refused.is_none() {
                        p.consequence { "You sign as " strong { (self.person) } " (" (self.proof) "). The signature covers exactly what you see here, and the settings that it would run under (its terms). It starts nothing: you start it afterwards." }
                    } @else if actions.start {
                        p.consequence { "It runs in a process of its own and goes on when you close this page." }
                    }
                    div.buttons { @if actions.reject { (reject(review, &base)) } @if actions.cancel { (cancel(review, &base)) } }
                    p.digest { "plan " (short_digest(&plan.digest)) @if let Some(terms) = &plan.terms { " · terms " (short_digest(terms)) } }
                }
            }
        }
    }

    fn heading(&self, review: &ReviewView<'_>) -> &'static str {
        match review.plan.status.as_str() {
            _ if self.signed_by.is_some() => "Signed",
            _ if review.actions.sign => "This signature would cover",
            "rejected" => "Rejected",
            "cancelled" => "Cancelled",
            "draft" => "Not ready to be signed",
            _ => "Not signed",
        }
    }

    /// Why it cannot be signed. Errors stand where they are, and are counted above.
    fn refusal(&self, review: &ReviewView<'_>) -> Markup {
        let has_errors = review.problems.iter().any(|one| one.severity == "error");
        let refused = self.refused.filter(|_| !has_errors && !self.needs_key);
        html! { @if let Some(refused) = refused { p.small.first-failure { (crate::problem::code_in(refused)) } } }
    }

    fn sign_form(&self, review: &ReviewView<'_>, base: &str) -> Markup {
        html! {
            form method="post" action={ (base) "/sign" } {
                (token(review.csrf))
                input type="hidden" name="digest" value=(review.plan.digest);
                input type="hidden" name="terms" value=[review.plan.terms.as_deref()];
                button.sign data-key="a" disabled[self.refused.is_some()] { "✓ Sign off" }
            }
        }
    }
}

/// What there is to know where nothing can be signed.
fn where_it_stands(review: &ReviewView<'_>) -> Option<&'static str> {
    Some(match review.plan.status.as_str() {
        "rejected" => {
            "It was rejected. Change it, or have the planner rewrite it; then it can be signed."
        }
        "draft" => "It cannot be signed before its errors are solved.",
        "executing" | "replanning" => "It is being carried out.",
        "stalled" => "The process that carried it out is gone; its run can be resumed.",
        "completed" => "It is done. Change it to sign and run it once more.",
        "cancelled" => "It was cancelled.",
        "archived" => "It is in the archive.",
        _ => return None,
    })
}

fn covered_files(plan: &Plan, review: &ReviewView<'_>) -> Markup {
    let contracts = plan
        .steps
        .iter()
        .filter(|step| step.contract.is_some())
        .count();
    let unverified = plan
        .steps
        .iter()
        .filter(|step| matches!(step.work, Work::Agent { .. }) && step.contract.is_none())
        .count();
    let asks = plan
        .steps
        .iter()
        .filter(|step| step.approval || !step.asks.is_empty())
        .count();
    let mut tools: Vec<&str> = plan
        .steps
        .iter()
        .filter_map(|step| match &step.work {
            Work::Tool { tool, .. } => Some(tool.as_str()),
            _ => None,
        })
        .collect();
    tools.sort_unstable();
    tools.dedup();
    let errors = review
        .problems
        .iter()
        .filter(|one| one.severity == "error")
        .count();
    let warnings = review
        .problems
        .iter()
        .filter(|one| one.severity == "warning")
        .count();
    let comments = open_comments(plan).count();
    let line = |sign: &str, text: Markup| html! { li { span.sign aria-hidden="true" { (sign) } span { (text) } } };
    html! {
        ul.covers {
            (line("▤", html! { (count(plan.steps.len(), "step")) ", " (count(contracts, "contract")) }))
            @if unverified > 0 { (line("!", html! { (count(unverified, "step")) " without a contract: a person has to accept the work" })) }
            @if !tools.is_empty() { (line("⚒", html! { "calls " @for (at, tool) in tools.iter().enumerate() { @if at > 0 { ", " } code { (tool) } } })) }
            @for demand in &plan.asks_for { (line("!", html! { span.asked-for { "this plan " (sanitize(demand)) } })) }
            @if asks > 0 { (line("?", html! { (count(asks, "step")) " will stop and ask" })) }
            @if errors > 0 { (line("✗", html! { span.first-failure { (count(errors, "error")) " to solve first" } })) }
            @if warnings > 0 { (line("⚠", html! { (count(warnings, "warning")) })) }
            @if comments > 0 { (line("❝", html! { (count(comments, "open comment")) })) }
        }
    }
}

fn action(base: &str, name: &str, word: &str, class: &str, review: &ReviewView<'_>) -> Markup {
    html! {
        form method="post" action={ (base) "/" (name) } {
            (token(review.csrf))
            input type="hidden" name="digest" value=(review.plan.digest);
            button class=(class) { (word) }
        }
    }
}

fn open_comments(plan: &Plan) -> impl Iterator<Item = &Comment> {
    plan.comments
        .iter()
        .filter(|one| one.resolved_by.is_none() && !one.is_step_gone)
}

/// The open comments, as the text of a rejection: who rejects changes it as they like.
fn comments_as_feedback(plan: &Plan) -> String {
    let lines = open_comments(plan).map(|one| match &one.step {
        Some(step) => format!("`{step}`: {}", one.text),
        None => one.text.clone(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn reject(review: &ReviewView<'_>, base: &str) -> Markup {
    let comments = comments_as_feedback(review.plan);
    html! {
        details #reject {
            summary.button data-key="r" { "Reject…" }
            form.step-form method="post" action={ (base) "/reject" } {
                (token(review.csrf))
                input type="hidden" name="digest" value=(review.plan.digest);
                div.field {
                    label for="feedback" { "What has to change?" }
                    textarea #feedback name="feedback" rows="5" required { "\n" (comments) }
                    p.hint { @if !comments.is_empty() { "These are the open comments; change them as you like. " } "The planner is told this when it writes the next version." }
                }
                button.danger { "Reject" }
            }
        }
    }
}

fn cancel(review: &ReviewView<'_>, base: &str) -> Markup {
    html! {
        details #cancel {
            summary.button.quiet { "Cancel…" }
            form.step-form method="post" action={ (base) "/cancel" } {
                (token(review.csrf))
                div.field {
                    label for="reason" { "Why?" }
                    input #reason name="reason" required;
                }
                button.danger { "Cancel the plan" }
            }
        }
    }
}

/// The beginning of a digest, enough to compare by eye.
pub(crate) fn short_digest(digest: &str) -> &str {
    let plain = digest.strip_prefix("sha256:").unwrap_or(digest);
    plain.get(..12).unwrap_or(plain)
}
