//! `OK (3 tests, 5 assertions)`, or `Tests: 3, Assertions: 5, Failures: 1, Skipped: 1.`

use super::Summary;
use super::text::count_and_words;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<Summary> {
    if line == "No tests executed!" {
        return Some(Summary::NOTHING);
    }
    if let Some(counts) = line.strip_prefix("OK (") {
        let (tests, assertions) = counts.strip_suffix(')')?.split_once(", ")?;
        let (_, "assertion" | "assertions") = count_and_words(assertions)? else {
            return None;
        };
        let (passed, words) = count_and_words(tests)?;
        return matches!(words, "test" | "tests").then_some(Summary {
            passed,
            ..Summary::default()
        });
    }
    let (tests, rest) = line.strip_prefix("Tests: ")?.split_once(", Assertions: ")?;
    let tests: u64 = tests.parse().ok()?;
    let mut summary = Summary::default();
    let parts = rest.trim_end_matches('.').split(", ");
    for (name, count) in parts.filter_map(|part| part.split_once(": ")) {
        let count = count.parse().unwrap_or(0);
        match name {
            "Failures" | "Errors" => summary.failed = summary.failed.saturating_add(count),
            "Skipped" | "Incomplete" => summary.skipped = summary.skipped.saturating_add(count),
            _ => {}
        }
    }
    let idle = summary.failed.saturating_add(summary.skipped);
    summary.passed = tests.saturating_sub(idle);
    Some(summary)
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_forms_are_read() {
        let read = |line: &str| -> Vec<u64> {
            let found = super::tests(&[line]);
            found.iter().map(super::Summary::ran).collect()
        };
        assert_eq!(read("OK (3 tests, 5 assertions)"), [3]);
        assert_eq!(read("OK (1 test, 1 assertion)"), [1]);
        assert_eq!(
            read("Tests: 4, Assertions: 5, Failures: 1, Skipped: 1."),
            [3]
        );
        assert_eq!(read("No tests executed!"), [0]);
        for other in [
            "OK (3 tests)",
            "Tests: 3 passed, 3 total",
            "Tests: 3",
            "OK (3 tests, 5 lines)",
        ] {
            assert_eq!(read(other), [0; 0], "{other}");
        }
    }
}
