//! What an event is about, and how soon it must be on disk.

use super::{Event, ModelUsage};

impl Event {
    /// The step this event is about, if it is about one.
    pub fn step(&self) -> Option<&str> {
        match self {
            Self::RunStarted { .. }
            | Self::RunResumed { .. }
            | Self::PlanReplanned { .. }
            | Self::PlanningSpent { .. }
            | Self::LockFreed { .. }
            | Self::DayLimitReached { .. }
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
            | Self::AgentCallStarted { step, .. }
            | Self::AgentCallFinished { step, .. }
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
            | Self::ReplanRequested { step, .. }
            | Self::VersionHandedIn { step, .. }
            | Self::ReplanDropped { step, .. }
            | Self::RecoveryRequested { step, .. }
            | Self::ModelAsked { step, .. }
            | Self::ModelAnswered { step, .. }
            | Self::EarlierStep { step, .. }
            | Self::LockAwaited { step, .. }
            | Self::InboxOpened { step, .. }
            | Self::InboxAnswered { step, .. } => Some(step),
        }
    }

    /// What models have cost that it tells of, as far as they said, in millionths of a dollar.
    pub fn known_cost(&self) -> u64 {
        let sum = |usage: &[ModelUsage]| usage.iter().filter_map(|one| one.usd_e6).sum();
        if let Self::WorkFinished { report, .. } | Self::AttemptInterrupted { report, .. } = self {
            return report.as_ref().map_or(0, |report| sum(&report.usage));
        }
        if let Self::ModelAnswered { usage, .. } = self {
            return sum(usage);
        }
        if let Self::PlanningSpent { planning } = self {
            return planning.iter().map(|one| sum(&one.usage)).sum();
        }
        0
    }

    /// How soon the event must be on disk.
    pub fn sync_time(&self) -> SyncTime {
        match self {
            Self::RunStarted { .. }
            | Self::RunResumed { .. }
            | Self::PlanReplanned { .. }
            | Self::VersionHandedIn { .. }
            | Self::TreePrepared { .. }
            | Self::WorkItem { .. }
            | Self::ProcessStarted { .. }
            | Self::CallStarted { .. }
            | Self::AgentCallStarted { .. }
            | Self::MergeStarted { .. }
            | Self::InboxAnswered { .. }
            | Self::StepRetried { .. }
            | Self::ReplanRequested { .. }
            | Self::ModelAsked { .. }
            | Self::ModelAnswered { .. }
            | Self::RunPaused { .. }
            | Self::RunFinished { .. }
            | Self::LandingStarted { .. }
            | Self::RunLanded { .. }
            | Self::RunUndone { .. } => SyncTime::BeforeEffects,
            Self::BaselineFinished { .. }
            | Self::WorkFinished { .. }
            | Self::ContractFinished { .. }
            | Self::StepCompleted { .. }
            | Self::StepConfirmed { .. }
            | Self::StepFailed { .. }
            | Self::StepSkipped { .. } => SyncTime::InBackground,
            Self::EarlierStep { .. }
            | Self::PlanningSpent { .. }
            | Self::CheckoutJoined { .. }
            | Self::FilesLanded { .. }
            | Self::StepStarted { .. }
            | Self::ConditionHeld { .. }
            | Self::Expanded { .. }
            | Self::BaselineStarted { .. }
            | Self::AttemptStarted { .. }
            | Self::CallFinished { .. }
            | Self::AgentCallFinished { .. }
            | Self::BudgetReserved { .. }
            | Self::BudgetSpent { .. }
            | Self::BudgetExceeded { .. }
            | Self::AttemptInterrupted { .. }
            | Self::ContractStarted { .. }
            | Self::CandidateStarted { .. }
            | Self::CandidateBuilt { .. }
            | Self::MergeConflicted { .. }
            | Self::Merged { .. }
            | Self::RetryScheduled { .. }
            | Self::StepProvisional { .. }
            | Self::ReplanDropped { .. }
            | Self::RecoveryRequested { .. }
            | Self::StepBlocked { .. }
            | Self::StepWaiting { .. }
            | Self::InboxOpened { .. }
            | Self::LockAwaited { .. }
            | Self::LockFreed { .. }
            | Self::DayLimitReached { .. }
            | Self::PauseRequested { .. } => SyncTime::WithLaterEvents,
        }
    }
}

/// How soon an event must be on disk. Losing one that is not there yet costs one more evaluation, and never leads to a
/// wrong answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyncTime {
    /// Before anything else happens: an effect outside the harness follows, or a person relies on it.
    BeforeEffects,
    /// Soon: it says how something ended.
    InBackground,
    /// Together with a later event.
    WithLaterEvents,
}
