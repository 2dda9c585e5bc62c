//! Python's own runner: `Ran 3 tests in 0.001s`, then `OK (skipped=1)` or `FAILED (failures=1)`.

use super::text::counted;

/// A summary is closed by the line that says how it went: a run that ends before it has none.
pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    let mut found = Vec::new();
    let mut open = None;
    for line in lines {
        if let Some(ran) = ran(line) {
            open = Some(ran);
        } else if closes(line)
            && let Some(ran) = open.take()
        {
            // `Ran` has counted those that were skipped.
            found.push(ran.saturating_sub(skipped(line).unwrap_or(0)));
        }
    }
    found
}

/// `OK`, `OK (skipped=1)`, `FAILED (failures=1)`, `NO TESTS RAN`
fn closes(line: &str) -> bool {
    let status = line.split_once(" (").map_or(line, |(status, _)| status);
    matches!(status, "OK" | "FAILED" | "NO TESTS RAN")
}

fn ran(line: &str) -> Option<u64> {
    let (count, words) = counted(line.strip_prefix("Ran ")?)?;
    (words.starts_with("tests in ") || words.starts_with("test in ")).then_some(count)
}

fn skipped(line: &str) -> Option<u64> {
    let (_, details) = line.strip_suffix(')')?.split_once(" (")?;
    let skipped = details
        .split(", ")
        .find_map(|part| part.strip_prefix("skipped="))?;
    skipped.parse().ok()
}
