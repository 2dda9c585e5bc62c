//! `Tests:       1 failed, 1 skipped, 2 passed, 4 total`.

use super::text::sum_of;

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<u64> {
    let line = line.trim();
    if line.starts_with("No tests found, exiting with code ") {
        return Some(0);
    }
    let counts = line.strip_prefix("Tests:")?;
    let idle = ["skipped", "todo", "pending", "total"];
    counts
        .ends_with(" total")
        .then(|| sum_of(counts.split(','), &["passed", "failed"], &idle))?
}
