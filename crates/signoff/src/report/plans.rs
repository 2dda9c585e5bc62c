//! The table of plans. It may have ten thousand lines, so it avoids work for each line.

use anstyle::Style;
use signoff_engine::PlanState;
use signoff_runtime::plans::ListedPlan;
use unicode_width::UnicodeWidthStr;

use crate::report::count::count_of;
use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, paint, sanitize};

/// The widest a name gets before the next column.
const WIDEST: usize = 48;

/// One line for each plan, under a heading. `shown` gives a plan's path as a person would type it.
pub(crate) fn table(plans: &[ListedPlan], shown: impl Fn(&ListedPlan) -> String) -> String {
    let name = |plan: &ListedPlan| plan.name.clone().unwrap_or_else(|| shown(plan));
    let names: Vec<String> = plans.iter().map(name).collect();
    let width = names.iter().map(|name| columns(name)).max();
    let width = width.unwrap_or(0).clamp(4, WIDEST);
    let head = format!(
        "{:<width$}  {:<12}  ver  {:<8}  {:<16}  title",
        "plan", "state", "signed", "updated"
    );
    let mut table = String::with_capacity(128 * (plans.len() + 1));
    table.push_str(&paint(DIM, head).to_string());
    table.push('\n');
    let painted = PlanState::ALL.map(|state| {
        let word = format!("{:<12}", state.name());
        (state, paint(style(state), word).to_string())
    });
    for (plan, name) in plans.iter().zip(&names) {
        push(&mut table, name, width);
        let state = painted.iter().find(|(state, _)| *state == plan.state);
        table.push_str(state.map_or("", |(_, word)| word));
        table.push_str("  ");
        let version = plan.version.map_or_else(String::new, |one| one.to_string());
        push(&mut table, &format!("{version:>3}"), 3);
        push(&mut table, plan.proof.as_deref().unwrap_or_default(), 8);
        let (day, time) = plan.updated_at.split_once('T').unwrap_or_default();
        push(&mut table, day, 10);
        table.pop();
        push(&mut table, time.get(..5).unwrap_or_default(), 5);
        push(&mut table, &plan.title, 0);
        if plan.archived {
            table.push_str("(archived)  ");
        }
        if plan.questions > 0 {
            let questions = count_of(plan.questions, "question", "questions");
            push(&mut table, &format!("(asks you {questions})"), 0);
        }
        if let Some(approval) = &plan.approval
            && plan.state == PlanState::Verified
        {
            push(&mut table, &format!("({})", approval.summary), 0);
        }
        if let Some(word) = &plan.file_says {
            push(&mut table, &format!("(its file says {word})"), 0);
        }
        table.truncate(table.trim_end().len());
        table.push('\n');
    }
    table
}

/// Adds a cell, and the space to the next.
fn push(table: &mut String, text: &str, width: usize) {
    if text.bytes().any(|byte| byte.is_ascii_control()) || !text.is_ascii() {
        table.push_str(&sanitize(text));
    } else {
        table.push_str(text);
    }
    let missing = width.saturating_sub(columns(text)) + 2;
    table.extend(std::iter::repeat_n(' ', missing));
}

/// How wide it is on a terminal.
fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.width()
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

    fn plan(key: &str, state: PlanState, title: &str) -> ListedPlan {
        ListedPlan {
            key: key.to_owned(),
            name: Some(key.to_owned()),
            title: title.to_owned(),
            state,
            version: Some(2),
            updated_at: "2026-11-15T09:30:12.345Z".to_owned(),
            proof: None,
            approval: None,
            path: key.into(),
            archived: false,
            file_says: None,
            questions: 0,
        }
    }

    #[test]
    fn columns_line_up_and_nothing_reaches_the_terminal_raw() {
        let mut signed = plan("docs/plan.md", PlanState::Approved, "Ship \u{1b}[2Jit");
        signed.proof = Some("key".to_owned());
        let mut archived = plan("PLAN-1", PlanState::Completed, "Old");
        archived.archived = true;
        archived.name = None;
        let mut asking = plan("PLAN-3", PlanState::Executing, "Waits");
        asking.questions = 2;
        let mut elsewhere = plan("PLAN-2", PlanState::Verified, "Begun");
        elsewhere.file_says = Some("executing".to_owned());
        let plans = [
            plan("PLAN-1", PlanState::NeedsReview, "漢字"),
            elsewhere,
            asking,
            signed,
            archived,
        ];
        let lines = table(&plans, |plan| format!("archive/{}.md", plan.key));
        let plain = anstream::adapter::strip_str(&lines).to_string();
        assert_eq!(
            plain.lines().collect::<Vec<_>>(),
            [
                "plan               state         ver  signed    updated           title",
                "PLAN-1             needs_review    2            2026-11-15 09:30  漢字",
                "PLAN-2             verified        2            2026-11-15 09:30  Begun  (its file says executing)",
                "PLAN-3             executing       2            2026-11-15 09:30  Waits  (asks you 2 questions)",
                "docs/plan.md       approved        2  key       2026-11-15 09:30  Ship [2Jit",
                "archive/PLAN-1.md  completed       2            2026-11-15 09:30  Old  (archived)",
            ]
        );
    }
}
