//! How many tests a contract run says it ran, read from what test runners print at their end.
//!
//! A hint, never the proof: a program can print anything. It is there so that a contract which is
//! green because no test ran, or because tests went away, is noticed. One file for each runner; the
//! samples in `tests/runners` were printed by the real ones.

mod cargo;
mod ctest;
mod go;
mod gradle;
mod jest;
mod junit;
mod maven;
mod mocha;
mod nextest;
mod node;
mod pytest;
mod rspec;
mod text;
mod unittest;
mod vitest;

/// How many tests ran, and who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestCount {
    /// Tests whose body was run, whatever came of it: passed, failed, in error, failed as expected.
    ///
    /// Not those that were skipped, ignored, pending or filtered out: a test that is switched off
    /// must show as one fewer.
    pub run: u64,
    /// The runner. [`GO_PACKAGES`] counts packages; [`SEVERAL`] is a sum over different runners.
    pub runner: &'static str,
}

/// `go test` without `-v` or `-json` tells no tests, only packages that have some.
pub const GO_PACKAGES: &str = "go test, by package";

/// More than one runner printed a summary.
pub const SEVERAL: &str = "several runners";

/// Reads one runner's summaries; `None` where there is none.
type Reader = fn(&[&str]) -> Option<u64>;

const RUNNERS: [(&str, Reader); 16] = [
    ("pytest", pytest::tests),
    ("unittest", unittest::tests),
    ("cargo test", cargo::tests),
    ("cargo nextest", nextest::tests),
    ("go test", go::tests),
    (GO_PACKAGES, go::packages),
    ("jest", jest::tests),
    ("vitest", vitest::tests),
    ("mocha", mocha::tests),
    ("node test", node::tests),
    ("rspec", rspec::tests),
    ("maven", maven::tests),
    ("gradle", gradle::tests),
    ("junit 4", junit::plain),
    ("junit 5", junit::platform),
    ("ctest", ctest::tests),
];

/// How many tests the output of a contract speaks of; `None` if no known runner closed with a
/// summary, `Some` of zero if one said that there were none.
///
/// Summaries are added up: a contract may call several runners, or one of them several times.
pub fn tests_run(stdout: &str, stderr: &str) -> Option<TestCount> {
    if stdout.is_empty() && stderr.is_empty() {
        return None;
    }
    let texts = [text::without_colours(stdout), text::without_colours(stderr)];
    // A carriage return starts a progress line anew; what follows is a line of its own.
    let lines: Vec<&str> = texts
        .iter()
        .flat_map(|text| text.split(['\n', '\r']))
        .filter(|line| !line.is_empty())
        .collect();
    RUNNERS
        .iter()
        .filter_map(|(runner, read)| {
            Some(TestCount {
                run: read(&lines)?,
                runner,
            })
        })
        .reduce(both)
}

fn both(one: TestCount, other: TestCount) -> TestCount {
    let runner = match (one.run, other.run) {
        // Who ran nothing explains nothing.
        (_, 0) => one.runner,
        (0, _) => other.runner,
        _ => SEVERAL,
    };
    TestCount {
        run: one.run.saturating_add(other.run),
        runner,
    }
}
