//! Plan mode's log of a plan's steps: `.pi/plans/sessions/ID.jsonl`. A projection, never read.

use std::path::Path;

use signoff_api::session::SessionLine;
use signoff_engine::{Run, Stage, StepState, StepStatus};
use signoff_plan::model::Step;
use signoff_store::atomic::{ReplaceError, create_directories, replace};

/// Characters of an agent's last message in one line of a log.
const LONGEST: usize = 200;

/// Brings the log up to date: one line for each step whose work is done or has failed.
pub(super) fn write(path: &Path, run: &Run, survives_power: bool) -> Result<(), String> {
    let mut text = String::new();
    for line in run.steps().filter_map(session_line) {
        let line = serde_json::to_string(&line).map_err(|why| why.to_string())?;
        text.push_str(&line);
        text.push('\n');
    }
    // Whoever wrote the repository may have put a link there, to a file that is not theirs.
    if [Some(path), path.parent()]
        .into_iter()
        .flatten()
        .any(Path::is_symlink)
    {
        return Err(format!(
            "{} is a link, and no log is written through it",
            path.display()
        ));
    }
    let present = std::fs::read(path).ok();
    if present.as_deref().unwrap_or_default() == text.as_bytes() {
        return Ok(());
    }
    if let Some(directory) = path.parent() {
        create_directories(directory).map_err(|why| why.to_string())?;
    }
    match replace(path, present.as_deref(), text.as_bytes(), survives_power) {
        Ok(_) | Err(ReplaceError::Changed { .. }) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

fn session_line((step, state): (&Step, &StepState)) -> Option<SessionLine> {
    let (status, result_summary, error) = match state.status {
        // Its agent is done; that a person accepts it at the end is not plan mode's concern.
        StepStatus::Waiting if state.stage == Stage::Provisional => {
            ("success", last_words(state), None)
        }
        StepStatus::Completed => ("success", Some(result(state)), None),
        StepStatus::Failed => ("failed", last_words(state), state.outcome.reason.clone()),
        StepStatus::Pending
        | StepStatus::Blocked
        | StepStatus::Ready
        | StepStatus::Running
        | StepStatus::Verifying
        | StepStatus::Waiting
        | StepStatus::Skipped => return None,
    };
    let hint = step.hint.as_ref();
    Some(SessionLine {
        step: step.number,
        tool: hint.and_then(|hint| hint.tool.clone()),
        op: hint.and_then(|hint| hint.operation.clone()),
        status: status.to_owned(),
        result_summary,
        error,
    })
}

/// The last message of its agent; for a check, that it holds.
fn result(state: &StepState) -> String {
    last_words(state).unwrap_or_else(|| "its contract holds".to_owned())
}

/// The last line that its agent said.
fn last_words(state: &StepState) -> Option<String> {
    let said = state.history.said.as_deref()?;
    let last = said.lines().rev().find(|line| !line.trim().is_empty())?;
    Some(last.trim().chars().take(LONGEST).collect())
}
