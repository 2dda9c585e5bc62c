//! The table of plans.

use anstyle::Style;
use signoff_engine::PlanState;
use signoff_runtime::plans::Listed;
use unicode_width::UnicodeWidthStr;

use crate::report::style::{CARE, DIM, ERROR, GOOD, TITLE, harmless, paint};

/// The widest a name or title gets before the next column.
const WIDEST: usize = 48;

/// One line for each plan, under a heading. `shown` is a plan's path as it can be typed.
pub(crate) fn table(plans: &[Listed], shown: impl Fn(&Listed) -> String) -> Vec<String> {
    let names: Vec<String> = plans
        .iter()
        .map(|plan| {
            // An archived plan is named by where it is: by its id, its successor may be meant.
            if plan.archived {
                harmless(&shown(plan))
            } else {
                harmless(&plan.key)
            }
        })
        .collect();
    let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let width = width.clamp(4, WIDEST);
    let head = row(
        &padded("plan", width),
        &padded("state", 12),
        "ver",
        &padded("signed", 8),
        &padded("updated", 16),
        "title",
    );
    let mut lines = vec![paint(DIM, head.trim_end()).to_string()];
    for (plan, name) in plans.iter().zip(&names) {
        let state = padded(plan.state.name(), 12);
        let version = plan.version.map_or_else(String::new, |one| one.to_string());
        lines.push(row(
            &padded(name, width),
            &paint(style(plan.state), state).to_string(),
            &format!("{version:>3}"),
            &padded(plan.proof.as_deref().unwrap_or_default(), 8),
            &padded(&minutes(&plan.updated_at), 16),
            &harmless(&plan.title),
        ));
    }
    lines
}

fn row(name: &str, state: &str, version: &str, proof: &str, updated: &str, title: &str) -> String {
    format!("{name}  {state}  {version}  {proof}  {updated}  {title}")
}

fn padded(text: &str, width: usize) -> String {
    let missing = width.saturating_sub(text.width());
    format!("{text}{:missing$}", "")
}

/// `2026-11-15 09:30` of `2026-11-15T09:30:12.345Z`.
fn minutes(time: &str) -> String {
    time.chars().take(16).collect::<String>().replace('T', " ")
}

fn style(state: PlanState) -> Style {
    match state {
        PlanState::Verified | PlanState::NeedsReview | PlanState::Stalled => CARE,
        PlanState::Approved | PlanState::Completed => GOOD,
        PlanState::Failed => ERROR,
        PlanState::Executing | PlanState::Replanning => TITLE,
        PlanState::Draft | PlanState::Rejected | PlanState::Cancelled => DIM,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(key: &str, state: PlanState, title: &str) -> Listed {
        Listed {
            key: key.to_owned(),
            title: title.to_owned(),
            state,
            version: Some(2),
            updated_at: "2026-11-15T09:30:12.345Z".to_owned(),
            proof: None,
            path: key.into(),
            archived: false,
        }
    }

    #[test]
    fn columns_line_up_and_nothing_reaches_the_terminal_raw() {
        let mut signed = plan("docs/plan.md", PlanState::Approved, "Ship \u{1b}[2Jit");
        signed.proof = Some("key".to_owned());
        let plans = [plan("PLAN-1", PlanState::NeedsReview, "漢字"), signed];
        let lines = table(&plans, |plan| plan.key.clone());
        let plain: Vec<String> = lines
            .iter()
            .map(|line| anstream::adapter::strip_str(line).to_string())
            .collect();
        assert_eq!(
            plain,
            [
                "plan          state         ver  signed    updated           title",
                "PLAN-1        needs_review    2            2026-11-15 09:30  漢字",
                "docs/plan.md  approved        2  key       2026-11-15 09:30  Ship [2Jit",
            ]
        );
    }
}
