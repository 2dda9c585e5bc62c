//! What a person has to know of a step to answer a question about it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine as engine;
use signoff_engine::{InboxKind, StepState};

use crate::event::LogEntry;

/// Lines of output that are shown.
const LINES: usize = 12;

/// What is known of a step that a question is about.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepDetails {
    pub step: String,
    pub title: String,
    /// Attempts begun so far.
    pub attempts: u32,
    /// The command of its contract.
    pub command: Option<String>,
    /// How that ended when it last ran and did not hold, such as `exit code 1`.
    pub ended: Option<String>,
    /// The last lines that it printed then.
    pub output: Vec<String>,
    /// The agent's last words; nobody judges by them.
    pub said: Option<String>,
    /// How the agent ended, if it failed.
    pub agent_ended: Option<String>,
    /// Paths that the step changed; `null` if that was not recorded.
    pub changed: Option<Vec<String>>,
    /// What it changed, as a patch, where git has recorded it.
    pub diff: Option<String>,
    /// Where its output is kept, relative to the project.
    pub logs: Vec<LogEntry>,
}

impl StepDetails {
    /// What the run's state knows of a step; whoever can read files adds the difference and the logs.
    pub(super) fn of(run: &engine::Run, kind: InboxKind, at: usize) -> Option<Self> {
        let (step, state) = run.step(at)?;
        // Before any work, or in the middle of it, there is nothing to tell but what it is.
        let has_worked = !matches!(
            kind,
            InboxKind::Approval | InboxKind::Question | InboxKind::Permission
        );
        let state = Some(state).filter(|state| has_worked && state.attempts > 0);
        let red = state.and_then(|state| state.contract.red.as_deref());
        let said = state.and_then(|state| state.history.said.as_deref());
        let said = said.map(str::trim).filter(|said| !said.is_empty());
        Some(Self {
            step: step.id.clone(),
            title: step.title.clone(),
            attempts: state.map_or(0, |state| state.attempts),
            command: (step.contract.as_ref())
                .filter(|_| has_worked)
                .map(|contract| contract.command.clone()),
            ended: red.map(|red| red.ended.to_string()),
            output: red.map_or_else(Vec::new, |red| last_lines(&red.stdout, &red.stderr)),
            said: said.map(str::to_owned),
            agent_ended: state.and_then(bad_end),
            changed: state.and_then(|state| state.changes.files.clone()),
            diff: None,
            logs: Vec::new(),
        })
    }
}

fn bad_end(state: &StepState) -> Option<String> {
    let attempt = &state.attempt;
    attempt.work_failure()?;
    let ended = attempt.work_ended.as_ref()?;
    Some(match attempt.problem() {
        Some(problem) if ended.succeeded() => problem.to_owned(),
        Some(problem) => format!("{ended} ({problem})"),
        None => ended.to_string(),
    })
}

/// The end of what a contract printed. Complaints are on stderr, but many runners print theirs to stdout.
fn last_lines(stdout: &str, stderr: &str) -> Vec<String> {
    let lines = |text: &str, most: usize| -> Vec<String> {
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        let from = lines.len().saturating_sub(most);
        lines.into_iter().skip(from).map(str::to_owned).collect()
    };
    let complaints = lines(stderr, LINES);
    let mut last = lines(stdout, LINES - complaints.len().min(LINES / 2));
    let room = LINES - last.len();
    last.extend(complaints.into_iter().rev().take(room).rev());
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_streams_are_shown_by_their_last_lines() {
        let many = |name: &str| -> String {
            let lines = (1..=20).map(|number| format!("{name} {number}\n\n"));
            lines.collect()
        };
        assert_eq!(last_lines("a\n", "b\n"), ["a", "b"]);
        assert_eq!(last_lines("", ""), [""; 0]);
        let both = last_lines(&many("out"), &many("error"));
        assert_eq!(both.len(), LINES);
        assert_eq!(both[5], "out 20");
        assert_eq!(both[6], "error 15");
        assert_eq!(both[11], "error 20");
        assert_eq!(last_lines(&many("out"), "")[0], "out 9");
        assert_eq!(last_lines("", &many("error"))[11], "error 20");
    }
}
