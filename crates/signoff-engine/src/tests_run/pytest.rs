//! `=== 3 passed, 1 skipped in 0.02s ===`; with `-q` without the rules.

use super::text::sum_of;

/// Tests that were run, failing as expected included. An error counts as one: it is a fixture or a
/// module that could not even start its tests.
const RAN: [&str; 6] = ["passed", "failed", "error", "errors", "xfailed", "xpassed"];
const IDLE: [&str; 9] = [
    "skipped",
    "deselected",
    "warning",
    "warnings",
    "rerun",
    "subtests passed",
    "subtests failed",
    "test collected",
    "tests collected",
];

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<u64> {
    let (counts, time) = line.trim_matches(['=', ' ']).rsplit_once(" in ")?;
    let (seconds, _) = time.split_once('s')?;
    seconds.parse::<f64>().ok()?;
    match counts {
        "no tests ran" | "no tests collected" => Some(0),
        _ => sum_of(counts.split(','), &RAN, &IDLE),
    }
}
