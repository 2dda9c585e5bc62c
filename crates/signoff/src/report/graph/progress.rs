//! What a graph shows of a run: how far each step is, and where it works.

use anstyle::Style;
use signoff_api::event::step_status;
use signoff_engine::{Run, StepState, StepStatus, WorkLocation};
use signoff_plan::model::Step;

use crate::report::run::evidence::grade;
use crate::report::run::short_text::short_commit;
use crate::report::run::totals::{NOTHING, halted_word};
use crate::style::{CARE, DIM, ERROR, GOOD, HINT};

/// A run, as a graph of its plan shows it.
pub(crate) struct RunProgress<'a> {
    pub(crate) run: &'a Run,
    /// A process drives it.
    pub(crate) driven: bool,
}

/// Where a step works, in words.
pub(crate) fn work_location_name(seat: WorkLocation) -> &'static str {
    match seat {
        WorkLocation::Worktree => "in its own worktree",
        WorkLocation::RunTree => "in the run's tree",
        WorkLocation::MergeQueue => "in the merge queue",
    }
}

impl RunProgress<'_> {
    fn of(&self, step: &Step) -> Option<(usize, &StepState)> {
        let at = self.run.position(&step.id)?;
        Some((at, self.run.step(at)?.1))
    }

    fn status(&self, step: &Step) -> StepStatus {
        self.of(step).map_or(StepStatus::Pending, |(at, _)| {
            self.run.displayed_status(at, self.driven)
        })
    }

    /// The state of a step, where it works, and its commit.
    pub(super) fn words(&self, step: &Step) -> Vec<String> {
        let Some((at, state)) = self.of(step) else {
            return Vec::new();
        };
        let halted = self.run.halt_reason(at).filter(|_| !self.driven);
        let how = match state.outcome.grade() {
            Some(_) if self.run.is_empty_loop(at) => NOTHING.0,
            Some(found) => grade(found),
            None if halted.is_some() => halted_word(self.run),
            None => step_status(self.run.displayed_status(at, self.driven)),
        };
        let mut words = vec![how.to_owned()];
        words.extend(
            self.run
                .work_location(at)
                .map(|location| work_location_name(location).to_owned()),
        );
        if let Some(commit) = &state.attempt.commit {
            words.push(format!("merged as {}", short_commit(commit)));
        }
        words
    }

    /// The symbol for the state of a step.
    pub(super) fn sign(&self, step: &Step) -> (&'static str, Style) {
        match self.status(step) {
            StepStatus::Completed => ("✓", GOOD),
            StepStatus::Failed => ("✗", ERROR),
            StepStatus::Waiting => ("?", CARE),
            StepStatus::Running | StepStatus::Verifying => ("▸", HINT),
            StepStatus::Skipped | StepStatus::Blocked => ("–", DIM),
            StepStatus::Pending | StepStatus::Ready => ("·", DIM),
        }
    }

    /// The status of a step, as a CSS class.
    pub(super) fn class(&self, step: &Step) -> &'static str {
        step_status(self.status(step))
    }
}
