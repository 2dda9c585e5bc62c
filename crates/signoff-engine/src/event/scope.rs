//! What an event is about, and whether it must be on disk before anything else happens.

use super::Event;

impl Event {
    /// The step this event is about, if it is about one.
    pub fn step(&self) -> Option<&str> {
        match self {
            Self::RunStarted { .. }
            | Self::RunResumed { .. }
            | Self::PlanReplanned { .. }
            | Self::PauseRequested { .. }
            | Self::RunPaused { .. }
            | Self::TreePrepared { .. }
            | Self::CheckoutJoined { .. }
            | Self::FilesLanded { .. }
            | Self::LandingStarted { .. }
            | Self::RunLanded { .. }
            | Self::RunUndone { .. }
            | Self::RunFinished { .. } => None,
            Self::StepStarted { step }
            | Self::ConditionHeld { step }
            | Self::Expanded { step, .. }
            | Self::BaselineStarted { step, .. }
            | Self::CandidateStarted { step, .. }
            | Self::CandidateBuilt { step, .. }
            | Self::MergeConflicted { step, .. }
            | Self::MergeStarted { step, .. }
            | Self::Merged { step, .. }
            | Self::BaselineFinished { step, .. }
            | Self::AttemptStarted { step, .. }
            | Self::WorkItem { step, .. }
            | Self::ProcessStarted { step, .. }
            | Self::WorkFinished { step, .. }
            | Self::CallStarted { step, .. }
            | Self::CallFinished { step, .. }
            | Self::BudgetReserved { step, .. }
            | Self::BudgetSpent { step, .. }
            | Self::BudgetExceeded { step, .. }
            | Self::AttemptInterrupted { step, .. }
            | Self::ContractStarted { step, .. }
            | Self::ContractFinished { step, .. }
            | Self::RetryScheduled { step, .. }
            | Self::StepCompleted { step, .. }
            | Self::StepConfirmed { step, .. }
            | Self::StepProvisional { step, .. }
            | Self::StepFailed { step, .. }
            | Self::StepSkipped { step, .. }
            | Self::StepBlocked { step, .. }
            | Self::StepWaiting { step, .. }
            | Self::StepRetried { step, .. }
            | Self::InboxOpened { step, .. }
            | Self::InboxAnswered { step, .. } => Some(step),
        }
    }

    /// Must this be on disk before anything else happens? True where an effect outside the harness
    /// follows, or a person was told that it counts; losing any other event costs one more
    /// evaluation and never a wrong answer.
    pub fn reaches_outside(&self) -> bool {
        matches!(
            self,
            Self::RunStarted { .. }
                | Self::RunResumed { .. }
                | Self::PlanReplanned { .. }
                | Self::WorkItem { .. }
                | Self::ProcessStarted { .. }
                | Self::CallStarted { .. }
                | Self::TreePrepared { .. }
                | Self::MergeStarted { .. }
                | Self::LandingStarted { .. }
                | Self::RunLanded { .. }
                | Self::RunUndone { .. }
                | Self::StepRetried { .. }
                | Self::InboxAnswered { .. }
                | Self::RunPaused { .. }
                | Self::RunFinished { .. }
        )
    }
}
