//! Words that the stream and the surfaces share.

use signoff_engine::{InboxKind, Outcome, StepStatus};

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
pub fn item_kind_name(kind: InboxKind) -> &'static str {
    match kind {
        InboxKind::Escalation => "escalation",
        InboxKind::Acceptance => "acceptance",
        InboxKind::Budget => "budget",
        InboxKind::Approval => "approval",
        InboxKind::Question => "question",
        InboxKind::UnknownCall => "unknown_call",
        InboxKind::Revision => "revision",
        InboxKind::Permission => "permission",
        InboxKind::NewVersion => "new_version",
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
