//! Python's own runner: `Ran 3 tests in 0.001s`, then `OK (skipped=1)` or `FAILED (failures=1)`.

use super::Summary;
use super::text::count_and_words;

/// A summary is closed by the line that says how it went: a run that ends before it has none.
pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    let mut found = Vec::new();
    let mut open = None;
    // Modules that could not be loaded, each of which is counted as a test in error.
    let mut unloaded = 0;
    for line in lines {
        if let Some(ran) = ran_count(line) {
            open = Some(ran);
        } else if line.starts_with("ERROR: ") && line.contains("unittest.loader._FailedTest") {
            unloaded += 1;
        } else if is_closing_line(line)
            && let Some(ran) = open.take()
        {
            found.push(summary(ran, unloaded, line));
            unloaded = 0;
        }
    }
    found
}

/// `Ran` has counted every test, whatever became of it.
fn summary(ran: u64, unloaded: u64, status: &str) -> Summary {
    let count = |name| detail(status, name).unwrap_or(0);
    let skipped = count("skipped=").saturating_add(count("expected failures="));
    let failed = count("failures=").saturating_add(count("unexpected successes="));
    let failed = failed.saturating_add(count("errors="));
    let is_red = status.starts_with("FAILED");
    let unloaded = unloaded.min(failed);
    Summary {
        passed: ran.saturating_sub(skipped).saturating_sub(failed),
        failed: failed.saturating_sub(unloaded),
        errors: unloaded.max(u64::from(is_red && failed == 0)),
        skipped,
    }
}

/// `OK`, `OK (skipped=1)`, `FAILED (failures=1)`, `NO TESTS RAN`
fn is_closing_line(line: &str) -> bool {
    let status = line.split_once(" (").map_or(line, |(status, _)| status);
    matches!(status, "OK" | "FAILED" | "NO TESTS RAN")
}

fn ran_count(line: &str) -> Option<u64> {
    let (count, words) = count_and_words(line.strip_prefix("Ran ")?)?;
    (words.starts_with("tests in ") || words.starts_with("test in ")).then_some(count)
}

fn detail(line: &str, name: &str) -> Option<u64> {
    let (_, details) = line.strip_suffix(')')?.split_once(" (")?;
    let mut parts = details.split(", ");
    parts.find_map(|part| part.strip_prefix(name))?.parse().ok()
}
