//! `=== 3 passed, 1 skipped in 0.02s ===`; with `-q` without the rules.

use super::Summary;
use super::summary::CountedAs;
use super::text::sum_of;

/// An error is not a test: a module that could not be loaded, or a fixture that could not begin or end.
/// One that fails as expected says nothing about the work.
const WORDS: [(&str, CountedAs); 15] = [
    ("passed", CountedAs::Passed),
    ("xpassed", CountedAs::Passed),
    ("failed", CountedAs::Failed),
    ("error", CountedAs::Error),
    ("errors", CountedAs::Error),
    ("skipped", CountedAs::Skipped),
    ("xfailed", CountedAs::Skipped),
    ("deselected", CountedAs::Nothing),
    ("warning", CountedAs::Nothing),
    ("warnings", CountedAs::Nothing),
    ("rerun", CountedAs::Nothing),
    ("subtests passed", CountedAs::Nothing),
    ("subtests failed", CountedAs::Error),
    ("test collected", CountedAs::Nothing),
    ("tests collected", CountedAs::Nothing),
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
