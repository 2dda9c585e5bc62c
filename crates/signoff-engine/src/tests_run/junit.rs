//! `JUnit` on its own: version 4 (`OK (5 tests)` or `Tests run: 4,  Failures: 1`) and the console of
//! version 5 (`[         5 tests successful      ]`).

use super::Summary;
use super::summary::CountedAs;
use super::text::count_and_words;

pub(super) fn plain(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<Summary> {
    if let Some(counts) = line.strip_prefix("OK (") {
        let (passed, words) = count_and_words(counts)?;
        return matches!(words, "test)" | "tests)").then_some(Summary {
            passed,
            ..Summary::default()
        });
    }
    let (run, failures) = line
        .strip_prefix("Tests run: ")?
        .split_once(",  Failures: ")?;
    let failed: u64 = failures.trim().parse().ok()?;
    let run: u64 = run.parse().ok()?;
    Some(Summary {
        passed: run.saturating_sub(failed),
        failed,
        ..Summary::default()
    })
}

/// Those that passed and those that failed are two entries of one summary.
pub(super) fn platform(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| entry(line)).collect()
}

fn entry(line: &str) -> Option<Summary> {
    let (count, words) = count_and_words(line.strip_prefix('[')?.strip_suffix(']')?)?;
    let fate = match words {
        "tests successful" => CountedAs::Passed,
        "tests failed" => CountedAs::Failed,
        "tests skipped" | "tests aborted" => CountedAs::Skipped,
        _ => return None,
    };
    let mut summary = Summary::default();
    summary.add(fate, count);
    Some(summary)
}
