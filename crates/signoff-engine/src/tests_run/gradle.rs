//! `6 tests completed, 1 failed, 1 skipped`. Gradle says it only when a test failed; a green run
//! tells no number.

use super::text::counted;

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<u64> {
    let mut parts = line.split(", ");
    let (completed, "test completed" | "tests completed") = counted(parts.next()?)? else {
        return None;
    };
    let skipped = parts
        .filter_map(counted)
        .find(|(_, words)| *words == "skipped");
    Some(completed.saturating_sub(skipped.map_or(0, |(count, _)| count)))
}
