//! Node's own runner, and what else closes its TAP output so (mocha's reporter, tape):
//! `# tests 4`, `# pass 3`, `# fail 1`; in the readable form `ℹ pass 3`.
//!
//! Node counts a file that holds no tests as one, also where the file ended the process before it came
//! to them. Such a test is named like its file; it is none.

use super::Summary;

pub(super) fn tests(lines: &[&str]) -> Vec<Summary> {
    let mut found: Vec<Summary> = Vec::new();
    let mut files = FileTests::default();
    for line in lines {
        match entry(line) {
            // Opens a summary; the number counts the skipped ones as well.
            Some(("tests", _)) => {
                found.push(Summary::default());
                files.close();
            }
            Some((name, count)) => {
                if let Some(summary) = found.last_mut() {
                    add(summary, name, count, &files.closed);
                }
            }
            None => files.read(line),
        }
    }
    found
}

fn add(summary: &mut Summary, name: &str, count: u64, files: &Summary) {
    match name {
        "pass" => summary.passed = count.saturating_sub(files.passed),
        "fail" => {
            summary.failed = count.saturating_sub(files.failed);
            summary.errors = files.failed.min(count);
        }
        "cancelled" => summary.failed = summary.failed.saturating_add(count),
        "skipped" | "todo" => summary.skipped = summary.skipped.saturating_add(count),
        _ => {}
    }
}

fn entry(line: &str) -> Option<(&str, u64)> {
    let mut words = line.split_whitespace();
    let mark = words.next()?;
    let (name, count) = (words.next()?, words.next()?.parse().ok()?);
    (matches!(mark, "#" | "ℹ") && words.next().is_none()).then_some((name, count))
}

/// Test files that are reported as tests, until a summary closes them.
#[derive(Debug, Default)]
struct FileTests {
    open: Summary,
    closed: Summary,
    /// The present test has others within it, so that it is more than its file.
    nested: bool,
}

impl FileTests {
    fn close(&mut self) {
        self.closed = std::mem::take(&mut self.open);
    }

    fn read(&mut self, line: &str) {
        if line.starts_with("# Subtest: ") {
            self.nested = false;
        }
        if line.starts_with("    ") {
            let line = line.trim_start();
            self.nested |= line.starts_with("ok ") || line.starts_with("not ok ");
            return;
        }
        let Some((passed, true)) = test_line(line).map(|(passed, name)| (passed, is_file(name)))
        else {
            return;
        };
        if !self.nested {
            self.open.passed += u64::from(passed);
            self.open.failed += u64::from(!passed);
        }
    }
}

/// `ok 1 - name`, `✖ name (1.5ms)`: whether a test passed, and its name.
fn test_line(line: &str) -> Option<(bool, &str)> {
    for (mark, passed) in [("✔ ", true), ("✖ ", false)] {
        if let Some(rest) = line.strip_prefix(mark) {
            let name = rest.rsplit_once(" (").map_or(rest, |(name, _)| name);
            return Some((passed, name));
        }
    }
    let (passed, rest) = match line.strip_prefix("not ok ") {
        Some(rest) => (false, rest),
        None => (true, line.strip_prefix("ok ")?),
    };
    let (_, name) = rest.split_once(" - ")?;
    Some((passed, name.split(" # ").next().unwrap_or(name)))
}

fn is_file(name: &str) -> bool {
    const ENDINGS: [&str; 8] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
    let name = name.trim_end();
    ENDINGS.iter().any(|ending| name.ends_with(ending))
}
