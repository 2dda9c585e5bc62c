//! Words that the stream and the surfaces share.

use signoff_engine::{ItemKind, Outcome, StepStatus};

/// The word for a step's status.
pub fn step_status(status: StepStatus) -> &'static str {
    match status {
        StepStatus::Pending => "pending",
        StepStatus::Blocked => "blocked",
        StepStatus::Ready => "ready",
        StepStatus::Running => "running",
        StepStatus::Verifying => "verifying",
        StepStatus::Waiting => "waiting",
        StepStatus::Completed => "completed",
        StepStatus::Failed => "failed",
        StepStatus::Skipped => "skipped",
    }
}

/// The word for what an item of the inbox is about.
pub fn item_kind_name(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Escalation => "escalation",
        ItemKind::Acceptance => "acceptance",
        ItemKind::Budget => "budget",
        ItemKind::Approval => "approval",
        ItemKind::Question => "question",
        ItemKind::UnknownCall => "unknown_call",
        ItemKind::Revision => "revision",
    }
}

/// The word for an outcome.
pub fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Completed => "completed",
        Outcome::Partial => "partial",
        Outcome::Failed => "failed",
    }
}
