//! `OK (3 tests, 5 assertions)`, or `Tests: 3, Assertions: 5, Failures: 1, Skipped: 1.`

use super::text::counted;

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    lines.iter().filter_map(|line| summary(line)).collect()
}

fn summary(line: &str) -> Option<u64> {
    if line == "No tests executed!" {
        return Some(0);
    }
    if let Some(counts) = line.strip_prefix("OK (") {
        let (tests, assertions) = counts.strip_suffix(')')?.split_once(", ")?;
        let (_, "assertion" | "assertions") = counted(assertions)? else {
            return None;
        };
        let (tests, words) = counted(tests)?;
        return matches!(words, "test" | "tests").then_some(tests);
    }
    let (tests, rest) = line.strip_prefix("Tests: ")?.split_once(", Assertions: ")?;
    let idle = rest.trim_end_matches('.').split(", ").filter_map(|part| {
        let (name, count) = part.split_once(": ")?;
        matches!(name, "Skipped" | "Incomplete").then(|| count.parse::<u64>().ok())?
    });
    let tests: u64 = tests.parse().ok()?;
    Some(tests.saturating_sub(idle.sum()))
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_forms_are_read() {
        let read = |line: &str| super::tests(&[line]);
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
