//! Steps that are done and whose reviewer has not said anything yet.

use std::collections::BTreeSet;

use crate::state::{Run, StepStatus};

/// Steps whose work is to be read by their reviewers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reviews {
    due: BTreeSet<usize>,
    /// The one whose reviewer is asked now.
    asked: Option<usize>,
}

impl Reviews {
    pub(crate) fn add(&mut self, step: usize) {
        self.due.insert(step);
    }

    pub(crate) fn contains(&self, step: usize) -> bool {
        self.due.contains(&step) || self.asked == Some(step)
    }

    pub(crate) fn ask(&mut self, step: usize) {
        self.due.remove(&step);
        self.asked = Some(step);
    }

    pub(crate) fn is_asked(&self, step: usize) -> bool {
        self.asked == Some(step)
    }

    pub(crate) fn is_under_way(&self) -> bool {
        self.asked.is_some()
    }

    pub(crate) fn end(&mut self) {
        self.asked = None;
    }

    /// A review that a crash cut off is requested again.
    pub(crate) fn ask_again(&mut self) {
        self.due.extend(self.asked.take());
    }
}

impl Run {
    /// The step whose reviewer is to be asked now: one after the other.
    pub(crate) fn due_review(&self) -> Option<usize> {
        if self.reviews.is_under_way() {
            return None;
        }
        let mut due = self.reviews.due.iter().copied();
        // A step that was taken up again is reviewed when it is done again.
        due.find(|&at| {
            let step = self.steps.get(at);
            step.is_some_and(|step| step.status == StepStatus::Completed)
        })
    }
}
