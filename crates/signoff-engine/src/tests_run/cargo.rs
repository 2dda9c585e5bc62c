//! `test result: ok. 3 passed; 0 failed; 1 ignored; …`, once for each binary and for the doc tests.

use super::Summary;
use super::text::count_and_words;

/// Cargo names on stderr the binaries it runs. If there are more summaries than binaries, tests printed some of them.
/// It is unknown which, so the summaries with the fewest passed tests count.
pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    let mut found: Vec<Summary> = lines.iter().filter_map(|line| summary(line)).collect();
    let binaries = lines.iter().filter(|line| is_binary(line)).count();
    if binaries > 0 && found.len() > binaries {
        found.sort_by_key(|summary| (summary.passed, summary.failed));
        found.truncate(binaries);
    }
    found
}

/// `     Running unittests src/lib.rs (target/…)`, `   Doc-tests name`
fn is_binary(line: &str) -> bool {
    let start = line.trim_start();
    let indented = line.len() > start.len();
    indented
        && (start.starts_with("Doc-tests ")
            || (start.starts_with("Running ") && line.ends_with(')')))
}

// Not indented: nextest shows the summary of a failed test's process so, and counts it itself.
fn summary(line: &str) -> Option<Summary> {
    let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut parts = counts.split(';');
    let (passed, "passed") = count_and_words(parts.next()?)? else {
        return None;
    };
    let (failed, "failed") = count_and_words(parts.next()?)? else {
        return None;
    };
    let ignored = parts
        .filter_map(count_and_words)
        .find(|(_, words)| *words == "ignored");
    Some(Summary {
        passed,
        failed,
        skipped: ignored.map_or(0, |(count, _)| count),
        ..Summary::default()
    })
}
