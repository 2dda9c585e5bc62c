//! `6 tests completed, 1 failed, 1 skipped`. Gradle says it only when a test failed; a green run
//! tells no number.

use super::Summary;
use super::text::count_and_words;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<Summary> {
    let mut parts = line.split(", ");
    let (completed, "test completed" | "tests completed") = count_and_words(parts.next()?)? else {
        return None;
    };
    let (mut failed, mut skipped) = (0, 0);
    for (count, words) in parts.filter_map(count_and_words) {
        match words {
            "failed" => failed = count,
            "skipped" => skipped = count,
            _ => {}
        }
    }
    Some(Summary {
        passed: completed.saturating_sub(failed).saturating_sub(skipped),
        failed,
        skipped,
        ..Summary::default()
    })
}
