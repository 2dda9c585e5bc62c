//! Which models wrote a plan, and what that used.

use signoff_api::plan::Planning;
use signoff_api::plan_log::PlanningTask;
use signoff_engine::{dollars_text, tokens_text};

use super::count::count;
use crate::style::{DIM, paint, sanitize};

/// A line for each time that a model was asked.
pub(crate) fn planning_lines(planning: &[Planning]) -> Vec<String> {
    planning.iter().map(planning_line).collect()
}

fn planning_line(one: &Planning) -> String {
    let what = match one.task {
        PlanningTask::Draft => "drafted",
        PlanningTask::Revision => "revised",
        PlanningTask::Critique => "criticized",
        PlanningTask::Contracts => "given contracts",
    };
    let model = one
        .model
        .as_deref()
        .map(|model| format!(" ({})", sanitize(model)));
    let rounds = usize::try_from(one.rounds).unwrap_or(usize::MAX);
    let parts = [
        Some(count(rounds, "round")),
        one.tokens
            .map(|tokens| format!("{} tokens", tokens_text(tokens))),
        one.usd_e6.map(dollars_text),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let text = format!(
        "{what} by {}{}: {}",
        sanitize(&one.by),
        model.unwrap_or_default(),
        parts.join(" · ")
    );
    paint(DIM, text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_out() {
        let asked = |model: Option<&str>, tokens, usd_e6| Planning {
            at: String::new(),
            task: PlanningTask::Draft,
            by: "planner".to_owned(),
            model: model.map(str::to_owned),
            rounds: 2,
            tokens,
            usd_e6,
        };
        let lines = planning_lines(&[
            asked(Some("m"), Some(2200), Some(9000)),
            asked(None, None, None),
        ]);
        let lines: Vec<String> = (lines.iter())
            .map(|line| line.replace("\u{1b}[2m", "").replace("\u{1b}[0m", ""))
            .collect();
        assert_eq!(
            lines,
            [
                "drafted by planner (m): 2 rounds · 2.2k tokens · $0.0090",
                "drafted by planner: 2 rounds",
            ]
        );
    }
}
