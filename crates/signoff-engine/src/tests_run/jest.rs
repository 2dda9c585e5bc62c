//! `Tests:       1 failed, 1 skipped, 2 passed, 4 total`.

use super::Summary;
use super::summary::CountedAs;
use super::text::sum_of;

const WORDS: [(&str, CountedAs); 6] = [
    ("passed", CountedAs::Passed),
    ("failed", CountedAs::Failed),
    ("skipped", CountedAs::Skipped),
    ("todo", CountedAs::Skipped),
    ("pending", CountedAs::Skipped),
    ("total", CountedAs::Nothing),
];

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<Summary> {
    let line = line.trim();
    if line.starts_with("No tests found, exiting with code ") {
        return Some(Summary::NOTHING);
    }
    let counts = line.strip_prefix("Tests:")?;
    counts
        .ends_with(" total")
        .then(|| sum_of(counts.split(','), &WORDS))?
}
