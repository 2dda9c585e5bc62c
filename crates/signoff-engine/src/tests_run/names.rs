//! The names of tests, where a runner prints them: a test that went away is noticed although another one runs twice.

/// Names that are kept; with more of them only numbers count.
const MOST: usize = 2_000;
/// Letters of all of them together.
const LONGEST: usize = 100_000;

/// How a test ended, as its line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestResult {
    Passed,
    Failed,
}

/// The names of the tests that ran, or only of those that passed; sorted. None if not exactly as many were named as
/// `count`: then the output names only some of them.
pub(crate) fn test_names<'t>(
    outputs: impl IntoIterator<Item = &'t str>,
    only_passed: bool,
    count: u64,
) -> Vec<String> {
    let lines = outputs.into_iter().flat_map(str::lines);
    let named = lines.filter_map(|line| named_test(line.trim()));
    let mut names: Vec<String> = named
        .filter(|(_, end)| !only_passed || *end == TestResult::Passed)
        .map(|(name, _)| name.to_owned())
        .collect();
    let letters: usize = names.iter().map(String::len).sum();
    if u64::try_from(names.len()) != Ok(count) || names.len() > MOST || letters > LONGEST {
        return Vec::new();
    }
    names.sort();
    names.dedup();
    names
}

/// The test that a line of `go test -v`, `cargo test` or `unittest -v` reports the end of.
fn named_test(line: &str) -> Option<(&str, TestResult)> {
    for (opening, end) in [
        ("--- PASS: ", TestResult::Passed),
        ("--- FAIL: ", TestResult::Failed),
    ] {
        if let Some(rest) = line.strip_prefix(opening) {
            return Some((rest.rsplit_once(" (")?.0, end));
        }
    }
    let (name, end) = line.rsplit_once(" ... ")?;
    let end = match end {
        "ok" => TestResult::Passed,
        "FAILED" | "FAIL" | "ERROR" => TestResult::Failed,
        _ => return None,
    };
    if let Some(name) = name.strip_prefix("test ") {
        return Some((name.split(" - ").next().unwrap_or(name), end));
    }
    (name.contains(" (") && name.ends_with(')')).then_some((name, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(output: &str, only_passed: bool, count: u64, expected: &[&str]) {
        assert_eq!(
            test_names([output], only_passed, count),
            expected,
            "{output}"
        );
    }

    #[test]
    fn runners_that_print_names_are_read() {
        let go = "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n    --- PASS: TestA/x y (0.00s)\nok";
        check(go, false, 2, &["TestA", "TestA/x y"]);
        check(go, true, 1, &["TestA/x y"]);
        let cargo = "test a::b ... ok\ntest c - should panic ... ok\ntest d ... FAILED\ntest e ... ignored\n";
        check(cargo, false, 3, &["a::b", "c", "d"]);
        let unittest = "test_a (t.T.test_a) ... ok\ntest_b (t.T.test_b) ... skipped 'x'\ntest_c (t.T.test_c) ... ERROR";
        check(
            unittest,
            false,
            2,
            &["test_a (t.T.test_a)", "test_c (t.T.test_c)"],
        );
    }

    #[test]
    fn what_is_told_in_part_is_not_told() {
        check("test a ... ok\n", false, 2, &[]);
        check("1 passed in 0.1s", false, 1, &[]);
        // One that ran twice is one name.
        check("test a ... ok\ntest a ... ok\n", true, 2, &["a"]);
        let many = "test t ... ok\n".repeat(3000);
        check(&many, true, 3000, &[]);
    }
}
