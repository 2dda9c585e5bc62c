//! Words that fields choose from, each list once: for reading them and for suggesting them.

/// Whether a person must agree.
pub(super) const APPROVAL: [&str; 5] = ["required", "yes", "true", "no", "false"];
/// Where a step works.
pub(super) const ISOLATION: [&str; 3] = ["auto", "worktree", "shared"];
/// Truth, as people write it.
pub(super) const YES_OR_NO: [&str; 4] = ["yes", "no", "true", "false"];
/// Whether a contract may run fewer tests than before.
pub(super) const FEWER_TESTS: [&str; 2] = ["allowed", "no"];
/// How long a contract holds.
pub(super) const HOLDS: [&str; 2] = ["once", "always"];
/// What a contract may be marked as.
pub(super) const SHELLS: [&str; 3] = ["shell", "bash", "sh"];
/// Priorities that most people use; others are the author's own.
pub(super) const PRIORITIES: [&str; 6] = ["low", "normal", "medium", "high", "urgent", "critical"];
