//! `=== 3 passed, 1 skipped in 0.02s ===`; with `-q` without the rules.

use super::Summary;
use super::summary::Fate;
use super::text::sum_of;

/// An error is no test: a module that could not be loaded, or a fixture that could not begin or end.
/// One that fails as expected says nothing about the work.
const WORDS: [(&str, Fate); 15] = [
    ("passed", Fate::Passed),
    ("xpassed", Fate::Passed),
    ("failed", Fate::Failed),
    ("error", Fate::Error),
    ("errors", Fate::Error),
    ("skipped", Fate::Skipped),
    ("xfailed", Fate::Skipped),
    ("deselected", Fate::Nothing),
    ("warning", Fate::Nothing),
    ("warnings", Fate::Nothing),
    ("rerun", Fate::Nothing),
    ("subtests passed", Fate::Nothing),
    ("subtests failed", Fate::Error),
    ("test collected", Fate::Nothing),
    ("tests collected", Fate::Nothing),
];

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<Summary> {
    let (counts, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    let (seconds, _) = time.split_once('s')?;
    seconds.parse::<f64>().ok()?;
    match counts {
        "no tests ran" | "no tests collected" => Some(Summary::NOTHING),
        _ => sum_of(counts.split(','), &WORDS),
    }
}
