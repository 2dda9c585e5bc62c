//! What is known of a step's attempts so far, where it works in the checkout: from it one tells what the step changed,
//! not only what its last attempt did.

use std::path::PathBuf;

use signoff_engine::{Run, Stage, StepState};
use signoff_plan::model::{Step, Work};
use signoff_store::runs::RunDir;
use signoff_work::tree::Snapshot;

/// What is known of a step's attempts so far.
pub(super) struct Past {
    /// Where its attempts wrote down what they found, the first one first.
    found: Vec<PathBuf>,
    /// What they changed, as far as somebody saw it.
    seen: Vec<String>,
    /// The place among them of the first of those at the end that nobody saw the end of.
    unseen: Option<usize>,
}

impl Past {
    /// What is known before the present attempt's work.
    pub(super) fn of(dir: &RunDir, step: &Step, state: &StepState) -> Self {
        let attempts = 1..=state.attempts;
        let found = attempts.map(|attempt| dir.attempt(&step.id, attempt).before());
        let place = |attempt: u32| usize::try_from(attempt.saturating_sub(1)).unwrap_or_default();
        Self {
            found: found.collect(),
            seen: state.changes.files.clone().unwrap_or_default(),
            unseen: state.unseen_since.map(place),
        }
    }

    /// The same for a step whose changes have to be looked at once more before they are judged: it was cut off, or
    /// repaired by a person.
    pub(super) fn to_judge(dir: &RunDir, run: &Run, at: usize) -> Option<Self> {
        let (step, state) = run.step(at)?;
        // At the end of the run others have worked in the checkout, too.
        let judged = matches!(state.stage, Stage::Evaluating { .. });
        let is_agent = matches!(step.work, Work::Agent { .. });
        let last = usize::try_from(state.attempts.saturating_sub(1)).unwrap_or_default();
        let mut past = Self::of(dir, step, state);
        let again = state.interrupted || state.taken_over.is_some();
        past.unseen = past.unseen.or(again.then_some(last));
        (judged && is_agent && past.unseen.is_some()).then_some(past)
    }

    /// What the step found when it began.
    pub(super) fn first(&self) -> Option<Snapshot> {
        self.found.iter().find_map(|path| Snapshot::load(path).ok())
    }

    /// What was found before the first attempt that nobody saw the end of. One that wrote nothing down did nothing.
    pub(super) fn before_unseen(&self) -> Option<Snapshot> {
        let unseen = self.found.iter().skip(self.unseen?);
        let mut found = unseen.filter_map(|path| Snapshot::load(path).ok());
        found.next()
    }

    /// What the step is known to have changed.
    pub(super) fn seen(&self) -> &[String] {
        &self.seen
    }

    /// Where the present attempt writes down what it finds.
    pub(super) fn present(&self) -> Option<&PathBuf> {
        self.found.last()
    }
}
