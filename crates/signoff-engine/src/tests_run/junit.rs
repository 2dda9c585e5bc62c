//! `JUnit` on its own: version 4 (`OK (5 tests)` or `Tests run: 4,  Failures: 1`) and the console of
//! version 5 (`[         5 tests successful      ]`).

use super::text::counted;

pub(super) fn plain(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<u64> {
    if let Some(counts) = line.strip_prefix("OK (") {
        let (count, words) = counted(counts)?;
        return matches!(words, "test)" | "tests)").then_some(count);
    }
    let (run, failures) = line
        .strip_prefix("Tests run: ")?
        .split_once(",  Failures: ")?;
    failures.trim().parse::<u64>().ok()?;
    run.parse().ok()
}

/// Those that passed and those that failed are two entries of one summary.
pub(super) fn platform(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| entry(line)).collect()
}

fn entry(line: &str) -> Option<u64> {
    let (count, words) = counted(line.strip_prefix('[')?.strip_suffix(']')?)?;
    matches!(words, "tests successful" | "tests failed").then_some(count)
}
