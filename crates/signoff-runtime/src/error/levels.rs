//! This machine confines less than it did before.

use signoff_store::trust::levels::RecordedLevels;

/// This machine gives less than it did when a run last began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Weaker {
    /// What there is less of.
    pub lost: Vec<Lost>,
    /// Why, a line for each reason.
    pub why: Vec<String>,
    /// What there is now, to be remembered once a person accepts it.
    pub(crate) now: RecordedLevels,
}

/// What was better before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lost {
    /// `sandbox` or `room`.
    pub what: &'static str,
    /// What this machine had.
    pub before: String,
    /// What it has now.
    pub now: String,
}
