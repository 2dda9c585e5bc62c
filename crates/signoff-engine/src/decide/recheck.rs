//! The contract of a completed step, run once more on the last tree.

use signoff_plan::model::Step;

use super::confirmation::confirmation;
use super::evaluation::Evaluation;
use crate::event::Event;
use crate::state::{Run, StepState};
use crate::verdict::Verdict;

/// Why a step fails if its contract holds only with what earlier contracts built.
const WARM_ONLY: &str = "green warm, red cold: its contract held with what earlier contracts had built, and fails at the end without it";

/// The events after a contract ran once more on the last tree.
pub(super) fn after_recheck(
    run: &Run,
    at: usize,
    definition: &Step,
    state: &StepState,
    evaluation: &Evaluation,
) -> Vec<Event> {
    let was_warm = !run.rechecks.held_without_build_cache(at);
    let reason = match joined_since(run, at) {
        Some(joined) => format!("{}; {joined}", evaluation.reason),
        None => evaluation.reason.clone(),
    };
    let reason = match evaluation.verdict {
        Verdict::Pass if was_warm => return confirmation(run, at, definition, state),
        Verdict::Pass => return Vec::new(),
        // It is tried once more.
        Verdict::Inconclusive if state.attempt.inconclusive == 0 && !evaluation.is_final => {
            return Vec::new();
        }
        Verdict::Inconclusive => format!("its contract gave no answer at the end ({reason})"),
        Verdict::Fail if was_warm => format!("{WARM_ONLY} ({reason})"),
        Verdict::Fail => format!("regressed: its contract no longer holds at the end ({reason})"),
    };
    vec![Event::StepFailed {
        step: definition.id.clone(),
        attempts: state.attempts,
        reason,
    }]
}

/// What a person changed in the checkout since the step's contract last held: a likely cause of its failure.
fn joined_since(run: &Run, at: usize) -> Option<String> {
    const SHOWN: usize = 5;
    let held = run.rechecks.tree_version(at).unwrap_or(0);
    let since = run
        .tree
        .joined
        .iter()
        .filter(|(_, joined)| joined.tree_version > held);
    let mut names: Vec<String> = since
        .map(|(file, joined)| {
            if joined.is_deleted {
                format!("deleted `{file}`")
            } else {
                format!("`{file}`")
            }
        })
        .collect();
    let more = names.len().saturating_sub(SHOWN);
    names.truncate(SHOWN);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    (!names.is_empty()).then(|| format!("your changes joined since it held: {}", names.join(", ")))
}
