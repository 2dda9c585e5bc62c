//! `     Summary [   0.027s] 4 tests run: 3 passed, 1 failed, 1 skipped`; cut short, `3/4 tests run: …`.

use super::Summary;
use super::text::count_and_words;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<Summary> {
    let (_, counts) = line
        .trim_start()
        .strip_prefix("Summary [")?
        .split_once("] ")?;
    let (run, words) = counts.split_once(' ')?;
    let (known, fates) = words.split_once(':')?;
    if !matches!(known, "tests run" | "test run") {
        return None;
    }
    // The first number is how many of the planned tests ran.
    let run: u64 = run.split('/').next()?.parse().ok()?;
    let (mut passed, mut skipped) = (0, 0);
    for (count, words) in fates.split(", ").filter_map(count_and_words) {
        // `3 passed (1 flaky)`
        match words.split(' ').next() {
            Some("passed") => passed = count,
            Some("skipped") => skipped = count,
            Some(_) | None => {}
        }
    }
    let passed = passed.min(run);
    Some(Summary {
        passed,
        // `failed`, `timed out`, `exec failed`: whatever ran and did not pass.
        failed: run.saturating_sub(passed),
        skipped,
        ..Summary::default()
    })
}
