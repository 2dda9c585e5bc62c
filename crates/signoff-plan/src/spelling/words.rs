//! Words that fields choose from, each list once: for reading them and for suggesting them.

/// Whether a person must agree.
pub(crate) const APPROVAL: [&str; 5] = ["required", "yes", "true", "no", "false"];
/// Where a step works.
pub(crate) const ISOLATION: [&str; 3] = ["auto", "worktree", "shared"];
/// What agents receive beside their task: by the dialect that tells it.
pub(crate) const BRIEFING: [&str; 4] = ["task", "record", "thread", "proposal"];
/// Truth, as people write it.
pub(crate) const YES_OR_NO: [&str; 4] = ["yes", "no", "true", "false"];
/// Whether a contract may run fewer tests than before.
pub(crate) const FEWER_TESTS: [&str; 2] = ["allowed", "no"];
/// How long a contract holds.
pub(crate) const HOLDS: [&str; 2] = ["once", "always"];
/// What a contract may be marked as.
pub(crate) const SHELLS: [&str; 3] = ["shell", "bash", "sh"];
/// Priorities that most people use; others are the author's own.
pub(crate) const PRIORITIES: [&str; 6] = ["low", "normal", "medium", "high", "urgent", "critical"];
