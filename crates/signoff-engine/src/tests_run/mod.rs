//! How many tests a contract run says it ran, read from what test runners print at their end.
//!
//! A hint, never the proof: a program can print anything. It is there so that a contract which is
//! green because no test ran, or because tests went away, is noticed. One file for each runner; the
//! samples in `tests/runners` were printed by the real ones.

mod cargo;
mod contract;
mod ctest;
mod go;
mod gradle;
mod jest;
mod junit;
mod maven;
mod mocha;
mod names;
mod nextest;
mod node;
mod phpunit;
mod pytest;
mod rspec;
mod summary;
mod text;
mod unittest;
mod vitest;

pub use self::contract::ContractRunners;
pub(crate) use self::contract::{
    is_by_package, is_same_runner, may_skip_at_run_time, tells_when_green,
};
pub(crate) use self::names::test_names;
pub use self::summary::Summary;

/// How many tests ran, and who says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestCount {
    /// Tests that passed or failed.
    ///
    /// Not those that were skipped, ignored, pending, expected to fail or filtered out: a test that is
    /// switched off must show as one fewer. Nor modules that could not be loaded.
    pub run: u64,
    /// The runner. [`GO_PACKAGES`] counts packages; [`SEVERAL`] is a sum over different runners.
    pub runner: &'static str,
}

/// `go test` without `-v` or `-json` reports no tests, only packages that have some.
pub const GO_PACKAGES: &str = "go test, by package";

/// More than one runner printed a summary.
pub const SEVERAL: &str = "several runners";

/// Reads what one runner says of each time it was called, in order.
type Reader = fn(&[&str]) -> Vec<Summary>;

/// A known test runner.
struct Runner {
    name: &'static str,
    read: Reader,
    /// Where it prints its summary; anywhere else something else printed it.
    stream: Stream,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stream {
    Stdout,
    Stderr,
    /// It depends on the version or on what it says.
    Either,
}

const fn runner(name: &'static str, read: Reader, stream: Stream) -> Runner {
    Runner { name, read, stream }
}

const RUNNERS: [Runner; 17] = [
    runner("pytest", pytest::tests, Stream::Stdout),
    runner("unittest", unittest::tests, Stream::Stderr),
    runner("cargo test", cargo::tests, Stream::Either),
    runner("cargo nextest", nextest::tests, Stream::Stderr),
    runner("go test", go::tests, Stream::Stdout),
    runner(GO_PACKAGES, go::packages, Stream::Stdout),
    runner("jest", jest::tests, Stream::Either),
    runner("vitest", vitest::tests, Stream::Either),
    runner("mocha", mocha::tests, Stream::Stdout),
    runner("node test", node::tests, Stream::Stdout),
    runner("rspec", rspec::tests, Stream::Stdout),
    runner("phpunit", phpunit::tests, Stream::Stdout),
    runner("maven", maven::tests, Stream::Stdout),
    runner("gradle", gradle::tests, Stream::Either),
    runner("junit 4", junit::plain, Stream::Either),
    runner("junit 5", junit::platform, Stream::Either),
    runner("ctest", ctest::tests, Stream::Either),
];

/// The output of a contract, in lines without colours.
struct Lines<'t> {
    stdout: Vec<&'t str>,
    both: Vec<&'t str>,
}

impl<'t> Lines<'t> {
    fn new(stdout: &'t str, stderr: &'t str) -> Self {
        // A carriage return starts a progress line anew; what follows is a line of its own.
        let lines = |text: &'t str| text.split(['\n', '\r']).filter(|line| !line.is_empty());
        let stdout: Vec<&str> = lines(stdout).collect();
        let both = stdout.iter().copied().chain(lines(stderr)).collect();
        Self { stdout, both }
    }

    fn of(&self, stream: Stream) -> &[&'t str] {
        match stream {
            Stream::Stdout => &self.stdout,
            Stream::Stderr => self.both.get(self.stdout.len()..).unwrap_or_default(),
            Stream::Either => &self.both,
        }
    }
}

/// How many tests the output of a contract speaks of; `None` if no known runner closed with a
/// summary, `Some` of zero if one said that there were none.
///
/// Summaries are added up: a contract may call several runners, or one of them several times.
pub fn tests_run(stdout: &str, stderr: &str) -> Option<TestCount> {
    if stdout.is_empty() && stderr.is_empty() {
        return None;
    }
    let texts = (text::without_colours(stdout), text::without_colours(stderr));
    let lines = Lines::new(&texts.0, &texts.1);
    let counts = RUNNERS.iter().filter_map(|runner| {
        let counts = (runner.read)(lines.of(Stream::Either)).into_iter();
        let run = counts.reduce(Summary::plus)?.ran();
        let runner = runner.name;
        Some(TestCount { run, runner })
    });
    counts.reduce(both)
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
