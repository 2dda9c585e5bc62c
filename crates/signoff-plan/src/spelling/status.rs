//! How far a plan or a step is, in the words of each dialect.
//!
//! A status in a file is a mark: never believed, never part of the digest. It is carried from one
//! dialect to another all the same, because other tools read it.

use super::Dialect;

/// A status of a plan: our word, then those of `record`, `workunit` and `proposal`.
// Where a dialect has one word for several, the first line with it is what the word means.
const PLAN: [[&str; 4]; 11] = [
    ["draft", "draft", "draft", "draft"],
    ["verified", "draft", "verified", "proposed"],
    ["approved", "draft", "approved", "approved"],
    ["executing", "in_progress", "in-progress", "executing"],
    ["replanning", "replanning", "in-progress", "executing"],
    ["completed", "complete", "done", "completed"],
    ["failed", "failed", "failed", "failed"],
    ["stalled", "stalled", "stalled", "stalled"],
    ["rejected", "rejected", "rejected", "rejected"],
    [
        "needs_review",
        "needs_review",
        "needs_review",
        "needs_review",
    ],
    ["cancelled", "cancelled", "cancelled", "cancelled"],
];

/// A status of a step: our word, then those of `record`, `workunit` and `toolplan`.
const STEP: [[Option<&str>; 4]; 6] = [
    [
        Some("done"),
        Some("complete"),
        Some("done"),
        Some("completed"),
    ],
    [
        Some("failed"),
        Some("failed"),
        Some("failed"),
        Some("failed"),
    ],
    [
        Some("skipped"),
        Some("skipped"),
        Some("skipped"),
        Some("skipped"),
    ],
    [Some("running"), Some("in_progress"), None, Some("running")],
    [Some("ready"), None, None, Some("ready")],
    [Some("blocked"), None, None, Some("blocked")],
];

/// The word of a dialect for a plan's status, given in the word of any.
pub(crate) fn plan_word(dialect: Dialect, status: &str) -> Option<&'static str> {
    let column = plan_column(dialect)?;
    plan_line(status)?.get(column).copied()
}

/// Whether two words, of whatever dialects, mean one status of a plan.
pub(crate) fn is_same_plan_status(one: &str, other: &str) -> bool {
    one == other || plan_line(one).is_some_and(|line| Some(line) == plan_line(other))
}

fn plan_line(status: &str) -> Option<&'static [&'static str; 4]> {
    // Ours first: `replanning` is a line of its own, though others call it by the word before.
    let ours = PLAN.iter().find(|line| line.first() == Some(&status));
    ours.or_else(|| PLAN.iter().find(|line| line.contains(&status)))
}

const fn plan_column(dialect: Dialect) -> Option<usize> {
    match dialect {
        Dialect::Record => Some(1),
        Dialect::Workunit => Some(2),
        Dialect::Proposal => Some(3),
        Dialect::Thread | Dialect::Toolplan => None,
    }
}

/// Our word for a step's status; `None` for one that nothing has happened to. A word that no
/// dialect has stays as it is.
pub(crate) fn step_status(word: &str) -> Option<&str> {
    if word == "pending" {
        return None;
    }
    let line = STEP.iter().find(|line| line.contains(&Some(word)));
    Some(line.and_then(|line| line[0]).unwrap_or(word))
}

/// The word of a dialect for a step's status, given in ours.
pub(crate) fn step_word(dialect: Dialect, status: &str) -> Option<&'static str> {
    let column = match dialect {
        Dialect::Record => 1,
        Dialect::Workunit => 2,
        Dialect::Toolplan => 3,
        Dialect::Thread | Dialect::Proposal => return None,
    };
    let line = STEP.iter().find(|line| line[0] == Some(status))?;
    line.get(column).copied().flatten()
}

/// Whether a word says that a step is done: each dialect that has marks has one for it.
pub(crate) fn is_done(word: &str) -> bool {
    STEP[0].contains(&Some(word))
}

/// The words for a plan's status in a dialect.
pub(crate) const fn plan_words(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Workunit => &[
            "draft",
            "verified",
            "approved",
            "in-progress",
            "done",
            "failed",
            "stalled",
            "rejected",
            "needs_review",
            "cancelled",
        ],
        Dialect::Proposal => &[
            "draft",
            "proposed",
            "approved",
            "executing",
            "completed",
            "failed",
            "rejected",
            "cancelled",
            "stalled",
            "needs_review",
        ],
        Dialect::Record => &[
            "draft",
            "in_progress",
            "complete",
            "failed",
            "replanning",
            "stalled",
            "rejected",
            "needs_review",
            "cancelled",
        ],
        // Their files carry no plan state.
        Dialect::Thread | Dialect::Toolplan => &[],
    }
}

/// The words for a step's status in a dialect.
pub(crate) const fn step_words(dialect: Dialect) -> &'static [&'static str] {
    match dialect {
        Dialect::Workunit => &["done", "failed", "skipped"],
        Dialect::Record => &["pending", "in_progress", "complete", "failed", "skipped"],
        Dialect::Toolplan => &[
            "pending",
            "blocked",
            "ready",
            "running",
            "completed",
            "failed",
            "skipped",
        ],
        Dialect::Thread | Dialect::Proposal => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_dialect_has_a_meaning() {
        for dialect in Dialect::ALL {
            for word in plan_words(*dialect) {
                assert_eq!(plan_word(*dialect, word), Some(*word), "{dialect} {word}");
            }
            for word in step_words(*dialect) {
                let ours = step_status(word);
                let back = ours.and_then(|ours| step_word(*dialect, ours));
                assert_eq!(back.unwrap_or("pending"), *word, "{dialect} {word}");
            }
        }
    }

    #[test]
    fn statuses_are_translated() {
        for (dialect, from, to) in [
            (Dialect::Workunit, "proposed", "verified"),
            (Dialect::Proposal, "verified", "proposed"),
            (Dialect::Proposal, "in-progress", "executing"),
            (Dialect::Workunit, "replanning", "in-progress"),
            (Dialect::Record, "approved", "draft"),
            (Dialect::Record, "done", "complete"),
        ] {
            assert_eq!(plan_word(dialect, from), Some(to));
        }
        assert_eq!(plan_word(Dialect::Thread, "draft"), None);
        assert_eq!(plan_word(Dialect::Record, "nearly"), None);
        assert!(is_same_plan_status("executing", "in-progress"));
        assert!(!is_same_plan_status("replanning", "in-progress"));
        assert!(!is_same_plan_status("approved", "draft"));
        assert_eq!(step_word(Dialect::Workunit, "running"), None);
        assert_eq!(step_status("nearly"), Some("nearly"));
    }
}
