//! What waits on a person, with what is needed to decide about it.

use std::path::PathBuf;

use signoff_api::event::LogEntry;
use signoff_api::inbox::{Item, StepDetails};
use signoff_engine::{InboxItem, Run, Verdict};
use signoff_plan::model::Work;
use signoff_store::runs::{AttemptDir, RunDir};

use super::worktrees::RunWorktrees;
use crate::project::Project;
use crate::trees::work_patch;

/// Steps of one question whose differences are looked up: each starts a process.
const MOST_PATCHES: usize = 20;

/// A question about a run, as far as the run's state tells.
pub(crate) fn question(run: &Run, item: &InboxItem, worktrees: &RunWorktrees) -> Item {
    let worktree = worktrees.of_item(run, item);
    let worktree = worktree.map(|path| path.to_string_lossy().into_owned());
    let mut question = Item::new(run, item, worktree);
    for details in &mut question.about {
        details.logs = logs(run, details);
    }
    question
}

/// The same with what git has recorded of the steps' work.
pub fn question_with_patches(
    project: &Project,
    run: &Run,
    item: &InboxItem,
    worktrees: &RunWorktrees,
) -> Item {
    let mut question = question(run, item, worktrees);
    for details in question.about.iter_mut().take(MOST_PATCHES) {
        let has_changes = details
            .changed
            .as_ref()
            .is_some_and(|files| !files.is_empty());
        if has_changes {
            details.diff = work_patch(project, run, &details.step, details.attempts);
        }
    }
    question
}

/// What an attempt changed, as a patch. `None` if git has not recorded it.
pub fn step_patch(project: &Project, run: &Run, step: &str, attempt: u32) -> Option<String> {
    work_patch(project, run, step, attempt)
}

/// Where the output of a step's last attempt is, and that of its contract before the work.
fn logs(run: &Run, details: &StepDetails) -> Vec<LogEntry> {
    let step = run.position(&details.step).and_then(|at| run.step(at));
    let Some((definition, state)) = step.filter(|_| details.attempts > 0) else {
        return Vec::new();
    };
    let dir = RunDir::seen_from_workspace(run.id());
    let last = dir.attempt(&details.step, details.attempts);
    let work: Option<(&str, PathBuf)> = match definition.work {
        Work::Agent { .. } => Some(("agent", last.agent_log())),
        Work::Tool { .. } => Some(("tool", last.tool_log())),
        Work::Ask { .. } | Work::Check => None,
    };
    let has_red = state.contract.red.is_some();
    let contract = has_red.then(|| ("contract", last.contract_log()));
    let has_failed_before = state.baseline.verdict == Some(Verdict::Inconclusive);
    let before = AttemptDir::baseline_log(&dir.attempt(&details.step, 0));
    let before = has_failed_before.then_some(("baseline", before));
    let entries = work.into_iter().chain(contract).chain(before);
    entries
        .map(|(source, path)| LogEntry {
            source: source.to_owned(),
            path: path.to_string_lossy().into_owned(),
        })
        .collect()
}
