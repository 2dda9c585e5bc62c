//! `test result: ok. 3 passed; 0 failed; 1 ignored; …`, once for each binary and for the doc tests.

use super::text::{counted, total};

pub(super) fn tests(lines: &[&str]) -> Option<u64> {
    total(lines.iter().filter_map(|line| summary(line)))
}

// Not indented: nextest shows the summary of a failed test's process so, and counts it itself.
fn summary(line: &str) -> Option<u64> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut parts = counts.split(';');
    let (passed, "passed") = counted(parts.next()?)? else {
        return None;
    };
    let (failed, "failed") = counted(parts.next()?)? else {
        return None;
    };
    Some(passed.saturating_add(failed))
}
