//! What differs from the version that was signed last, field by field, before anything else.

use maud::{Markup, html};
use signoff_api::diff::Change;
use signoff_api::plan::Plan;

use super::ReviewView;

pub(super) fn section(review: &ReviewView<'_>) -> Markup {
    html! {
        @if let Some(diff) = review.difference.filter(|one| !one.equal) {
            section.section #differences aria-labelledby="differences-title" {
                h2 #differences-title {
                    @if let Some(run) = review.replaces_in { "What run " a href={ "/runs/" (run) } { (run) } " does not carry out yet" }
                    @else { "Different from what was signed last" }
                }
                div.changes {
                    @for change in &diff.changes { (change_of(change, review.plan)) }
                    @for terms in &diff.terms { div.change { p.field-name { strong { "Terms" } " " (terms) } } }
                }
            }
        }
    }
}

fn change_of(change: &Change, plan: &Plan) -> Markup {
    let step = change.step.as_deref();
    let title = step.and_then(|id| plan.steps.iter().find(|one| one.id == id));
    html! {
        div.change {
            p.field-name {
                @if let Some(id) = step {
                    @match title {
                        Some(step) => a href={ "#step-" (id) } { (step.number) ". " (step.title) },
                        None => code { (id) },
                    }
                    " · "
                }
                strong { (name_of(&change.field)) } " " span.muted { (change.kind) }
            }
            @if let Some(before) = &change.before { del { (before) } }
            @if let Some(after) = &change.after { ins { (after) } }
        }
    }
}

/// A field as the page names it.
fn name_of(field: &str) -> String {
    match field {
        "contract.command" => "contract".to_owned(),
        "depends_on" => "waits for".to_owned(),
        "on_fail" => "if it fails".to_owned(),
        field => field
            .strip_prefix("work.")
            .unwrap_or(field)
            .replace(['.', '_'], " "),
    }
}

#[cfg(test)]
mod tests {
    use super::name_of;

    #[test]
    fn fields_have_the_names_of_the_page() {
        for (field, expected) in [
            ("contract.command", "contract"),
            ("contract.timeout_s", "contract timeout s"),
            ("work.task", "task"),
            ("step", "step"),
        ] {
            assert_eq!(name_of(field), expected);
        }
    }
}
