//! What was said about the plan and its steps, and the planner who can be asked to write it anew.

use maud::{Markup, html};
use signoff_api::comments::Comment;

use super::ReviewView;
use crate::address::path_segment;
use crate::frame::token;
use crate::moment::time;
use crate::problem::code_in;

/// What is said about the plan as a whole, what a critic has against it, and the planner.
pub(super) fn section(review: &ReviewView<'_>) -> Markup {
    let base = format!("/plans/{}", path_segment(review.key));
    html! {
        section.section #comments aria-labelledby="comments-title" {
            h2 #comments-title { "Comments on the plan" }
            div.step-body {
                (comments_of(review, None))
                div.step-actions {
                    @if review.actions.comment { (comment_form(review, &base)) }
                    @if review.actions.edit { (planner_form(review, &base)) }
                }
            }
        }
    }
}

fn comment_form(review: &ReviewView<'_>, base: &str) -> Markup {
    html! {
        details {
            summary { "Comment" }
            form.step-form method="post" action={ (base) "/comment" } {
                (token(review.csrf))
                div.field { label for="plan-comment" { "Comment on the whole plan" } textarea #plan-comment name="text" required {} }
                button.primary { "Comment" }
            }
        }
    }
}

fn planner_form(review: &ReviewView<'_>, base: &str) -> Markup {
    html! {
        details {
            summary { "Rewrite the plan" }
            form.step-form method="post" action={ (base) "/regenerate" } {
                (token(review.csrf))
                input type="hidden" name="digest" value=(review.plan.digest);
                div.field {
                    label for="plan-anew" { "What should the planner do differently?" }
                    textarea #plan-anew name="comment" {}
                    p.hint { "The planner is also told every rejection and every open comment." }
                }
                button.primary { "Ask the planner" }
            }
        }
    }
}

/// What was said about a step, or about the plan as a whole.
pub(super) fn comments_of(review: &ReviewView<'_>, step: Option<&str>) -> Markup {
    let is_about = |one: &&Comment| {
        let of = one.step.as_deref().filter(|_| !one.is_step_gone);
        of == step && one.resolved_by.is_none()
    };
    let comments: Vec<&Comment> = review.plan.comments.iter().filter(is_about).collect();
    html! {
        @if !comments.is_empty() {
            div.comments {
                @for comment in comments {
                    div.comment id={ "comment-" (comment.id) } {
                        p.by {
                            @if let Some(severity) = comment.severity { span.state.tone-regressed { span.sign aria-hidden="true" { "!" } (severity.name()) " objection" } " " }
                            strong { (comment.by) } " · " (time(&comment.at, review.now))
                        }
                        p { (code_in(&comment.text)) }
                        @if review.actions.comment {
                            form method="post" action={ "/plans/" (path_segment(review.key)) "/comments/" (path_segment(&comment.id)) "/resolve" } {
                                (token(review.csrf))
                                button.quiet.small aria-label={ "Resolve the comment of " (comment.by) } { "Resolve" }
                            }
                        }
                    }
                }
            }
        }
    }
}
