//! How far a plan or a step is, in the words of each dialect.
//!
//! A status in a file is a mark: it is never trusted and never part of the digest. Conversions keep it
//! because other tools read it.

use super::Dialect;

/// A status of a plan: our word, then those of `record`, `workunit` and `proposal`.
// If a dialect has one word for several statuses, it means the first line that has it.
const PLAN: [[&str; 4]; 11] = [
    ["draft"; 4],
    ["verified", "draft", "verified", "proposed"],
    ["approved", "draft", "approved", "approved"],
    ["executing", "in_progress", "in-progress", "executing"],
    ["completed", "complete", "done", "completed"],
    ["failed"; 4],
    ["replanning", "replanning", "in-progress", "executing"],
    ["stalled"; 4],
    ["rejected"; 4],
    ["needs_review"; 4],
    ["cancelled"; 4],
];

/// A status of a step: our word, then those of `record`, `workunit` and `toolplan`, if they have one.
const STEP: [[&str; 4]; 7] = [
    [PENDING, PENDING, "", PENDING],
    ["blocked", "", "", "blocked"],
    ["ready", "", "", "ready"],
    ["running", "in_progress", "", "running"],
    [DONE, "complete", "done", "completed"],
    ["failed"; 4],
    ["skipped"; 4],
];

/// Nothing has happened to the step.
const PENDING: &str = "pending";
/// The step is done.
const DONE: &str = "done";

/// A dialect's word for a plan's status, from the word of any dialect.
pub(crate) fn plan_word(dialect: Dialect, status: &str) -> Option<&'static str> {
    let column = plan_column(dialect)?;
    plan_line(status)?.get(column).copied()
}

/// Whether two words, of any dialects, mean the same status of a plan.
pub(crate) fn is_same_plan_status(one: &str, other: &str) -> bool {
    one == other || plan_line(one).is_some_and(|line| Some(line) == plan_line(other))
}

fn plan_line(status: &str) -> Option<&'static [&'static str; 4]> {
    // Our column first: `replanning` is a separate line, although other dialects use the word of the line before.
    let ours = PLAN.iter().find(|line| line.first() == Some(&status));
    ours.or_else(|| PLAN.iter().find(|line| line.contains(&status)))
}

/// The column of a dialect; files of other dialects have no plan status.
const fn plan_column(dialect: Dialect) -> Option<usize> {
    match dialect {
        Dialect::Record => Some(1),
        Dialect::Workunit => Some(2),
        Dialect::Proposal => Some(3),
        Dialect::Thread | Dialect::Toolplan => None,
    }
}

/// The same for steps.
const fn step_column(dialect: Dialect) -> Option<usize> {
    match dialect {
        Dialect::Record => Some(1),
        Dialect::Workunit => Some(2),
        Dialect::Toolplan => Some(3),
        Dialect::Thread | Dialect::Proposal => None,
    }
}

/// Our word for a step's status; `None` for a pending one. A word that no dialect has stays as it is.
pub(crate) fn step_status(word: &str) -> Option<&str> {
    let line = STEP
        .iter()
        .find(|line| !word.is_empty() && line.contains(&word));
    Some(line.map_or(word, |line| line[0])).filter(|status| *status != PENDING)
}

/// The word of a dialect for a step's status, given in ours.
pub(crate) fn step_word(dialect: Dialect, status: &str) -> Option<&'static str> {
    let line = STEP.iter().find(|line| line[0] == status)?;
    let word = line.get(step_column(dialect)?).copied();
    word.filter(|word| !word.is_empty())
}

/// Whether a word says that a step is done: each dialect that has marks has one for it.
pub(crate) fn is_done(word: &str) -> bool {
    step_status(word) == Some(DONE)
}

/// The words for a plan's status in a dialect.
pub(crate) fn plan_words(dialect: Dialect) -> Vec<&'static str> {
    column(&PLAN, plan_column(dialect))
}

/// The words for a step's status in a dialect.
pub(crate) fn step_words(dialect: Dialect) -> Vec<&'static str> {
    column(&STEP, step_column(dialect))
}

/// The words of a column, each once.
fn column(table: &[[&'static str; 4]], column: Option<usize>) -> Vec<&'static str> {
    let mut words = Vec::new();
    let lines = table.iter().filter_map(|line| line.get(column?));
    for word in lines.filter(|word| !word.is_empty()) {
        if !words.contains(word) {
            words.push(*word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_of_a_dialect_has_a_meaning() {
        for dialect in Dialect::ALL {
            for word in plan_words(*dialect) {
                assert_eq!(plan_word(*dialect, word), Some(word), "{dialect} {word}");
            }
            for word in step_words(*dialect) {
                let ours = step_status(word).unwrap_or(PENDING);
                assert_eq!(step_word(*dialect, ours), Some(word), "{dialect} {word}");
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
