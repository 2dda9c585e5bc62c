//! The second witness of attempts: what their processes printed. A journal that was cut off has no trace of them.

use signoff_engine::Run;
use signoff_store::runs::{AttemptDir, RunDir};

use crate::error::Error;
use crate::project::Project;

/// Refuses a run of which the output of an attempt is there and whose journal knows nothing of it.
pub(crate) fn refuse_if_lost(project: &Project, dir: &RunDir, run: &Run) -> Result<(), Error> {
    // Machines that share a run have its journal from elsewhere, and what they print here may be ahead of it.
    if project.cluster.is_some() || dir.is_shared() || !dir.steps().is_dir() {
        return Ok(());
    }
    let mut steps = run.order();
    match steps.find_map(|at| lost_attempt(dir, run, at)) {
        None => Ok(()),
        Some((step, attempt)) => Err(Error::BrokenRun {
            run: run.id().to_owned(),
            why: format!(
                "attempt {attempt} at step `{step}` left its output, and its journal ends before that: the end was cut off"
            ),
        }),
    }
}

/// The attempt after the last one that is journaled, if it was made. Those of a step that is done need no look: a journal
/// that was cut off before an attempt says that its step is not.
fn lost_attempt<'r>(dir: &RunDir, run: &'r Run, at: usize) -> Option<(&'r str, u32)> {
    let (step, state) = run.step(at)?;
    let attempt = run.next_attempt(at);
    let is_lost = !state.satisfies && has_output(&dir.attempt(&step.id, attempt));
    is_lost.then_some((step.id.as_str(), attempt))
}

/// Did a process of this attempt begin? Its prompt is written before the journal knows of it, and calls have a mark of
/// their own.
fn has_output(attempt: &AttemptDir) -> bool {
    let printed = [
        attempt.agent_log(),
        attempt.progress(),
        attempt.contract_log(),
    ];
    attempt.path().is_dir() && printed.iter().any(|path| path.exists())
}
