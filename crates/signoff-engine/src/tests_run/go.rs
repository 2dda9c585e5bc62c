//! `go test`: with `-v` or `-json` every test is told, otherwise only packages.
//!
//! Subtests count like tests: a table that loses its cases has lost tests.

pub(super) fn tests(lines: &[&str]) -> Vec<u64> {
    let seen = Seen::read(lines);
    let counts = seen.recognised && (seen.tests > 0 || seen.packages == 0);
    counts.then_some(seen.tests).into_iter().collect()
}

/// Packages with tests whose tests were not told one by one.
pub(super) fn packages(lines: &[&str]) -> Vec<u64> {
    let packages = Seen::read(lines).packages;
    (packages > 0).then_some(packages).into_iter().collect()
}

#[derive(Debug, Default)]
struct Seen {
    recognised: bool,
    tests: u64,
    packages: u64,
    /// Whether the present package tells its tests.
    verbose: bool,
}

impl Seen {
    fn read(lines: &[&str]) -> Self {
        let mut seen = Self::default();
        for line in lines {
            if line.starts_with('{') {
                seen.event(line);
            } else if line.starts_with("=== RUN ") {
                seen.verbose = true;
                seen.recognised = true;
            } else if is_package(line) {
                seen.package(line);
            } else if seen.verbose && is_result(line) {
                seen.tests += 1;
            }
        }
        seen
    }

    /// One line of `-json`. A quote within a value is escaped there, so these cannot be its text.
    fn event(&mut self, line: &str) {
        let Some((_, action)) = line.split_once("\"Action\":\"") else {
            return;
        };
        if !line.contains("\"Package\":\"") {
            return;
        }
        self.recognised = true;
        let ended = action.starts_with("pass\"") || action.starts_with("fail\"");
        if ended && line.contains("\"Test\":\"") {
            self.tests += 1;
        }
    }

    fn package(&mut self, line: &str) {
        self.recognised = true;
        let without_tests = [
            "[no test files]",
            "[no tests to run]",
            "[build failed]",
            "[setup failed]",
        ];
        if !self.verbose && !without_tests.iter().any(|mark| line.contains(mark)) {
            self.packages += 1;
        }
        self.verbose = false;
    }
}

fn is_package(line: &str) -> bool {
    ["ok  \t", "FAIL\t", "?   \t"]
        .iter()
        .any(|start| line.starts_with(start))
}

fn is_result(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("--- PASS: ") || line.starts_with("--- FAIL: ")
}
