//! `60% tests passed, 2 tests failed out of 5`, then the names of those that did not run.

use super::Summary;
use super::text::count_and_words;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    let mut found: Vec<Summary> = Vec::new();
    for line in lines {
        if let Some(summary) = summary(line) {
            found.push(summary);
        } else if let Some(last) = found.last_mut() {
            note_idle(line, last);
        }
    }
    found
}

fn summary(line: &str) -> Option<Summary> {
    let line = line.trim();
    if matches!(
        line,
        "No tests were found!!!" | "No test configuration file found!"
    ) {
        return Some(Summary::NOTHING);
    }
    let (passed, of) = line.split_once(" out of ")?;
    let (_, failed) = passed.split_once("% tests passed, ")?;
    let (failed, _) = count_and_words(failed)?;
    let all: u64 = of.parse().ok()?;
    Some(Summary {
        passed: all.saturating_sub(failed),
        failed,
        ..Summary::default()
    })
}

/// `3 - name (Skipped)`, which the summary counts as passed, `6 - name (Not Run)`, which it counts as
/// failed; a disabled one it does not count.
fn note_idle(line: &str, summary: &mut Summary) {
    let Some((_, words)) = count_and_words(line).filter(|(_, words)| words.starts_with("- "))
    else {
        return;
    };
    if words.contains(" (Skipped)") {
        summary.passed = summary.passed.saturating_sub(1);
        summary.skipped = summary.skipped.saturating_add(1);
    } else if words.contains(" (Not Run)") {
        summary.failed = summary.failed.saturating_sub(1);
        summary.errors = summary.errors.saturating_add(1);
    } else if words.contains(" (Disabled)") {
        summary.skipped = summary.skipped.saturating_add(1);
    }
}
