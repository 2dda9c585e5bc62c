//! Where a step stands.

use crate::event::ModelTask;

/// Where a step stands between two events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stage {
    #[default]
    Idle,
    NeedsBaseline,
    Baselining,
    NeedsWork,
    /// Its agent works, or its tool is called.
    Working {
        attempt: u32,
    },
    NeedsEvaluation {
        attempt: u32,
    },
    Evaluating {
        attempt: u32,
    },
    /// Its work is put on top of what was merged before.
    Assembling {
        attempt: u32,
    },
    /// Its contract holds on the candidate, or it has none.
    NeedsMerge {
        attempt: u32,
    },
    /// The candidate becomes the head.
    Merging {
        attempt: u32,
    },
    /// A loop that has become its items.
    Expanded,
    Waiting {
        item: String,
    },
    /// It failed, and waits for another version of the plan.
    Held,
    /// A model is to be asked how it goes on.
    NeedsModel {
        task: ModelTask,
    },
    AskingModel {
        task: ModelTask,
    },
    /// Its agent is done; a person decides at the end.
    Provisional,
    Ended,
    /// It has ended, and its contract runs once more on the last tree.
    Rechecking,
}

impl Stage {
    /// Is something under way that the harness does?
    pub(crate) fn in_flight(&self) -> bool {
        match self {
            Self::Baselining
            | Self::Working { .. }
            | Self::Evaluating { .. }
            | Self::Assembling { .. }
            | Self::Merging { .. }
            | Self::AskingModel { .. }
            | Self::Rechecking => true,
            Self::Idle
            | Self::NeedsBaseline
            | Self::NeedsWork
            | Self::NeedsEvaluation { .. }
            | Self::NeedsMerge { .. }
            | Self::Expanded
            | Self::Waiting { .. }
            | Self::Held
            | Self::NeedsModel { .. }
            | Self::Provisional
            | Self::Ended => false,
        }
    }
}

/// The nine statuses of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepStatus {
    #[default]
    Pending,
    Blocked,
    Ready,
    Running,
    Verifying,
    Waiting,
    Completed,
    Failed,
    Skipped,
}
