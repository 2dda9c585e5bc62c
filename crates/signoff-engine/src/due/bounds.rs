//! Limits of one invocation: `--until STEP`, `--only STEP`, `--jobs N`.

use std::collections::BTreeSet;

use crate::state::{Run, StepState};

/// The steps that may start (`None` = all), and how many at once. Not part of the run's state: the next
/// `resume` may have other limits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bounds {
    allowed: Option<BTreeSet<usize>>,
    /// Active steps at once; `None` = as many as the run was started with.
    jobs: Option<usize>,
}

impl Bounds {
    /// This step and no other.
    pub fn only_step(step: usize) -> Self {
        Self {
            allowed: Some(BTreeSet::from([step])),
            jobs: None,
        }
    }

    /// This step and everything that it waits for.
    pub fn until_step(run: &Run, step: usize) -> Self {
        Self {
            allowed: Some(run.plan().with_dependencies(step)),
            jobs: None,
        }
    }

    /// The same with another number of jobs.
    #[must_use]
    pub fn with_jobs(self, jobs: Option<usize>) -> Self {
        Self { jobs, ..self }
    }

    pub(super) fn jobs(&self, run: &Run) -> usize {
        self.jobs.unwrap_or(run.settings.jobs).max(1)
    }

    /// May some steps not start?
    pub fn is_limited(&self) -> bool {
        self.allowed.is_some()
    }

    pub(super) fn allow(&self, run: &Run, at: usize) -> bool {
        let Some(allowed) = &self.allowed else {
            return true;
        };
        let parent = run.steps.get(at).and_then(StepState::parent);
        allowed.contains(&parent.unwrap_or(at))
    }

    /// Do the bounds leave out steps that have not ended?
    pub(super) fn leaves_out_steps(&self, run: &Run) -> bool {
        self.is_limited() && run.schedule.done < run.plan().steps.len()
    }
}
