//! Python's own runner: `Ran 3 tests in 0.001s`, then `OK (skipped=1)` or `FAILED (failures=1)`.

use super::text::counted;

pub(super) fn tests(lines: &[&str]) -> Option<u64> {
    let mut found = None;
    for line in lines {
        if let Some(ran) = ran(line) {
            found = Some(ran.saturating_add(found.unwrap_or(0)));
        } else if let Some(skipped) = skipped(line) {
            // `Ran` has counted them.
            found = found.map(|ran| ran.saturating_sub(skipped));
        }
    }
    found
}

fn ran(line: &str) -> Option<u64> {
    let (count, words) = counted(line.strip_prefix("Ran ")?)?;
    (words.starts_with("tests in ") || words.starts_with("test in ")).then_some(count)
}

fn skipped(line: &str) -> Option<u64> {
    let (status, details) = line.strip_suffix(')')?.split_once(" (")?;
    let closes = matches!(status, "OK" | "FAILED" | "NO TESTS RAN");
    let skipped = details
        .split(", ")
        .find_map(|part| part.strip_prefix("skipped="))?;
    skipped.parse().ok().filter(|_| closes)
}
