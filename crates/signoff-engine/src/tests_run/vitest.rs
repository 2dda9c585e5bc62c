//! `      Tests  1 failed | 2 passed | 1 skipped (4)`.

use super::text::sum_of;

const RAN: [&str; 3] = ["passed", "failed", "expected fail"];

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<u64> {
    let line = line.trim();
    if line.starts_with("No test files found, exiting with code ") {
        return Some(0);
    }
    let counts = line.strip_prefix("Tests  ")?.trim();
    if counts == "no tests" {
        return Some(0);
    }
    let (counts, all) = counts.rsplit_once(" (")?;
    all.strip_suffix(')')?.parse::<u64>().ok()?;
    sum_of(counts.split('|'), &RAN, &["skipped", "todo"])
}
