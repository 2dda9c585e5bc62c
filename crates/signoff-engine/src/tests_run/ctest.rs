//! `60% tests passed, 2 tests failed out of 5`, then the names of those that did not run.

use super::text::counted;

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    let mut found: Vec<u64> = Vec::new();
    for line in lines {
        if let Some(count) = summary(line) {
            found.push(count);
        } else if did_not_run(line)
            && let Some(run) = found.last_mut()
        {
            *run = run.saturating_sub(1);
        }
    }
    found
}

fn summary(line: &str) -> Option<u64> {
    let line = line.trim();
    if matches!(
        line,
        "No tests were found!!!" | "No test configuration file found!"
    ) {
        return Some(0);
    }
    let (passed, of) = line.split_once(" out of ")?;
    passed
        .contains("% tests passed, ")
        .then(|| of.parse().ok())?
}

/// `3 - name (Skipped)`, which the summary counts; a disabled one it does not.
fn did_not_run(line: &str) -> bool {
    counted(line).is_some_and(|(_, words)| {
        words.starts_with("- ") && (words.contains(" (Skipped)") || words.contains(" (Not Run)"))
    })
}
