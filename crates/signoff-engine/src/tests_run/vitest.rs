//! `      Tests  1 failed | 2 passed | 1 skipped (4)`.

use super::Summary;
use super::summary::CountedAs;
use super::text::sum_of;

const WORDS: [(&str, CountedAs); 5] = [
    ("passed", CountedAs::Passed),
    ("failed", CountedAs::Failed),
    ("expected fail", CountedAs::Skipped),
    ("skipped", CountedAs::Skipped),
    ("todo", CountedAs::Skipped),
];

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<Summary> {
    let line = line.trim();
    if line.starts_with("No test files found, exiting with code ") {
        return Some(Summary::NOTHING);
    }
    let counts = line.strip_prefix("Tests  ")?.trim();
    if counts == "no tests" {
        return Some(Summary::NOTHING);
    }
    let (counts, all) = counts.rsplit_once(" (")?;
    all.strip_suffix(')')?.parse::<u64>().ok()?;
    sum_of(counts.split('|'), &WORDS)
}
