//! `go test`: with `-v` or `-json` every test is reported, otherwise only packages.
//!
//! Subtests count like tests: a table that loses its cases has lost tests.

use super::Summary;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    let output = GoOutput::read(lines);
    let counts = output.recognised && (output.tests.ran() > 0 || output.packages.ran() == 0);
    counts.then_some(output.tests).into_iter().collect()
}

/// Packages with tests whose tests were not reported one by one.
pub(super) fn packages(lines: &[&str]) -> Vec<Summary> {
    let packages = GoOutput::read(lines).packages;
    (packages.ran() > 0)
        .then_some(packages)
        .into_iter()
        .collect()
}

#[derive(Debug, Default)]
struct GoOutput {
    recognised: bool,
    tests: Summary,
    packages: Summary,
    /// Whether the present package reports its tests.
    verbose: bool,
}

impl GoOutput {
    fn read(lines: &[&str]) -> Self {
        let mut output = Self::default();
        for line in lines {
            if line.starts_with('{') {
                output.event(line);
            } else if line.starts_with("=== RUN ") {
                output.verbose = true;
                output.recognised = true;
            } else if is_package(line) {
                output.package(line);
            } else if output.verbose {
                output.result(line);
            }
        }
        output
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
        let is_test = line.contains("\"Test\":\"");
        match action.split('"').next() {
            Some("pass") if is_test => self.tests.passed += 1,
            Some("fail") if is_test => self.tests.failed += 1,
            Some("skip") if is_test => self.tests.skipped += 1,
            Some("fail") => self.tests.errors += 1,
            Some(_) | None => {}
        }
    }

    fn result(&mut self, line: &str) {
        let line = line.trim_start();
        self.tests.passed += u64::from(line.starts_with("--- PASS: "));
        self.tests.failed += u64::from(line.starts_with("--- FAIL: "));
        self.tests.skipped += u64::from(line.starts_with("--- SKIP: "));
    }

    fn package(&mut self, line: &str) {
        self.recognised = true;
        let failed = line.starts_with("FAIL");
        let marked = |marks: [&str; 2]| marks.iter().any(|mark| line.contains(mark));
        if marked(["[build failed]", "[setup failed]"]) {
            self.tests.errors += 1;
        } else if self.verbose {
            self.tests.errors += u64::from(failed);
        } else if !marked(["[no test files]", "[no tests to run]"]) {
            self.packages.failed += u64::from(failed);
            self.packages.passed += u64::from(!failed);
        }
        self.verbose = false;
    }
}

fn is_package(line: &str) -> bool {
    ["ok  \t", "FAIL\t", "?   \t"]
        .iter()
        .any(|start| line.starts_with(start))
}
