//! What a graph shows of a run: how far each step is, and where it works.

use signoff_api::event::step_status;
use signoff_engine::{Run, StepState, StepStatus, WorkLocation};
use signoff_plan::model::Step;

use crate::words::evidence::grade;
use crate::words::halted::{NOTHING, halted_word};
use crate::words::short_text::short_commit;

/// A run, as a graph of its plan shows it.
#[derive(Debug)]
pub struct RunProgress<'a> {
    pub run: &'a Run,
    /// A process drives it.
    pub driven: bool,
}

/// Where a step works, in words.
pub fn work_location_name(seat: WorkLocation) -> &'static str {
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

    /// How far a step is.
    pub fn status(&self, step: &Step) -> StepStatus {
        self.of(step).map_or(StepStatus::Pending, |(at, _)| {
            self.run.displayed_status(at, self.driven)
        })
    }

    /// The state of a step; `None` if the run has no such step.
    pub fn state_word(&self, step: &Step) -> Option<&'static str> {
        let (at, state) = self.of(step)?;
        let halted = self.run.halt_reason(at).filter(|_| !self.driven);
        Some(match state.outcome.grade() {
            Some(_) if self.run.is_empty_loop(at) => NOTHING.0,
            Some(found) => grade(found),
            None if halted.is_some() => halted_word(self.run),
            None => step_status(self.run.displayed_status(at, self.driven)),
        })
    }

    /// The state of a step, where it works, and its commit.
    pub fn words(&self, step: &Step) -> Vec<String> {
        let Some((at, state)) = self.of(step) else {
            return Vec::new();
        };
        let mut words: Vec<String> = self
            .state_word(step)
            .map(str::to_owned)
            .into_iter()
            .collect();
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

    /// The status of a step, as a CSS class.
    pub fn class(&self, step: &Step) -> &'static str {
        step_status(self.status(step))
    }
}
