//! Which test runners a contract calls, and how many tests these say they ran.

use signoff_plan::shell::{Invocation, programs};

use super::text::without_colours;
use super::{GO_PACKAGES, Lines, RUNNERS, Runner, Stream, Summary};

/// The test runners that a contract names in its own text.
///
/// A contract that calls a script, `make` or `npm test` names none: then every known runner is
/// listened to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractRunners {
    named: Vec<NamedRunner>,
    /// The text sends output elsewhere, so that a summary may be in either stream.
    redirects: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct NamedRunner {
    name: &'static str,
    /// How often it is called; `None` if the text does not show it.
    calls: Option<usize>,
}

impl ContractRunners {
    /// Reads the text of a contract.
    pub fn of(command: &str) -> Self {
        let mut named: Vec<NamedRunner> = Vec::new();
        for invocation in programs(command).invocations {
            let Some(name) = runner_of(&invocation) else {
                continue;
            };
            let calls = (!invocation.repeats).then_some(1);
            match named.iter_mut().find(|known| known.name == name) {
                Some(known) => known.calls = known.calls.zip(calls).map(|(a, b)| a + b),
                None => named.push(NamedRunner { name, calls }),
            }
        }
        Self {
            named,
            redirects: command.contains(['>', '|']),
        }
    }

    /// Whether the text itself calls this runner.
    pub fn names(&self, runner: &str) -> bool {
        self.named
            .iter()
            .any(|known| known.name == canonical(runner))
    }

    /// Whether the text itself calls a test runner.
    pub(crate) fn calls_any(&self) -> bool {
        !self.named.is_empty()
    }

    /// What each runner says of the tests it ran.
    ///
    /// Of a runner that the text calls, only its last summaries count, as many as there are calls, and
    /// only in the stream that it prints them to: what code under test prints before is not a summary.
    pub fn counts(&self, stdout: &str, stderr: &str) -> Vec<(&'static str, Summary)> {
        if stdout.is_empty() && stderr.is_empty() {
            return Vec::new();
        }
        let texts = (without_colours(stdout), without_colours(stderr));
        let lines = Lines::new(&texts.0, &texts.1);
        let listened = RUNNERS
            .iter()
            .filter(|runner| self.named.is_empty() || self.names(runner.name));
        let count = |runner: &Runner| Some((runner.name, self.count(runner, &lines)?));
        listened.filter_map(count).collect()
    }

    fn count(&self, runner: &Runner, lines: &Lines<'_>) -> Option<Summary> {
        let known = self
            .named
            .iter()
            .find(|known| known.name == canonical(runner.name));
        let anywhere = known.is_none() || self.redirects;
        let stream = if anywhere {
            Stream::Either
        } else {
            runner.stream
        };
        let found = (runner.read)(lines.of(stream));
        let calls = known.and_then(|known| known.calls);
        let calls = calls
            .filter(|_| closes_once(runner.name))
            .unwrap_or(found.len());
        let last = found.get(found.len().saturating_sub(calls)..)?;
        last.iter().copied().reduce(Summary::plus)
    }

    /// Runners that the text calls and that are not among those that closed with a summary.
    pub fn missing_among(&self, reported: &[&str]) -> Vec<&'static str> {
        let is_missing =
            |name: &&'static str| !reported.iter().any(|known| canonical(known) == *name);
        self.named
            .iter()
            .map(|known| known.name)
            .filter(is_missing)
            .collect()
    }
}

/// The name that a contract is known to call a runner by.
fn canonical(runner: &str) -> &str {
    match runner {
        GO_PACKAGES => "go test",
        runner => runner,
    }
}

/// Whether these are two names of one runner.
pub(crate) fn is_same_runner(one: &str, other: &str) -> bool {
    canonical(one) == canonical(other)
}

/// Whether a call of the runner ends with one summary. The others have one for each binary, module or
/// package.
fn closes_once(runner: &str) -> bool {
    !matches!(
        runner,
        "cargo test" | "go test" | GO_PACKAGES | "maven" | "gradle" | "junit 5"
    )
}

/// Whether the runner says how many tests ran when all of them passed.
pub(crate) fn tells_when_green(runner: &str) -> bool {
    runner != "gradle"
}

/// Whether the runner reported packages, and none of their tests.
pub(crate) fn is_by_package(runner: &str) -> bool {
    runner == GO_PACKAGES
}

/// Whether code under test can have a test skipped. What Rust ignores is written in the test.
pub(crate) fn may_skip_at_run_time(runner: &str) -> bool {
    !matches!(runner, "cargo test" | "cargo nextest")
}

/// Options with which a runner runs no tests.
const NO_RUN: [&str; 9] = [
    "--no-run",
    "--collect-only",
    "--co",
    "--version",
    "--help",
    "-h",
    "--list",
    "--listTests",
    "--list-tests",
];

fn runner_of(invocation: &Invocation) -> Option<&'static str> {
    let words: Vec<&str> = (invocation.arguments.iter())
        .map(|word| word.as_deref().unwrap_or_default())
        .collect();
    if words.iter().any(|word| NO_RUN.contains(word)) {
        return None;
    }
    let name = invocation.program.rsplit('/').next().unwrap_or_default();
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
    let mut operands = words.iter().filter(|word| !word.starts_with(['-', '+']));
    let first = operands.next().copied();
    match stem {
        "pytest" | "py.test" => Some("pytest"),
        "python" | "coverage" | "pypy" => python(&words),
        "cargo" if matches!(first, Some("test" | "t")) => Some("cargo test"),
        "cargo" if first == Some("nextest") && has(&["run", "r"]) => Some("cargo nextest"),
        "go" if first == Some("test") && !has(&["-c", "-list"]) => Some("go test"),
        "jest" => Some("jest"),
        "vitest" if first != Some("list") => Some("vitest"),
        "mocha" => Some("mocha"),
        "node" if has(&["--test"]) => Some("node test"),
        "rspec" => Some("rspec"),
        "phpunit" => Some("phpunit"),
        "ctest" if !has(&["-N", "--show-only"]) => Some("ctest"),
        "mvn" | "mvnw" if has(&["test", "verify", "package", "install"]) => Some("maven"),
        "gradle" | "gradlew" if has(&["test", "check", "build"]) => Some("gradle"),
        _ => None,
    }
}

/// `python -m pytest`, `coverage run -m unittest`, `python manage.py test`
fn python(words: &[&str]) -> Option<&'static str> {
    let modules = words.windows(2).filter(|pair| pair.first() == Some(&"-m"));
    let module = modules.filter_map(|pair| pair.get(1).copied()).next_back();
    let is_django = words.iter().any(|word| word.ends_with("manage.py")) && words.contains(&"test");
    match module {
        Some("pytest" | "py.test") => Some("pytest"),
        Some("unittest") => Some("unittest"),
        None if is_django => Some("unittest"),
        Some(_) | None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, (stdout, stderr): (&str, &str), expected: &[(&str, u64)]) {
        let counts = ContractRunners::of(command).counts(stdout, stderr);
        let ran = counts.iter().map(|(name, summary)| (*name, summary.ran()));
        assert_eq!(ran.collect::<Vec<_>>(), expected, "{command}");
    }

    #[test]
    fn the_text_says_which_runner_it_is() {
        for (command, expected) in [
            ("pytest -q", &["pytest"][..]),
            ("python3 -m pytest tests/", &["pytest"]),
            ("cd d && uv run pytest && npx jest", &["pytest", "jest"]),
            ("coverage run -m pytest", &["pytest"]),
            ("python3.12 -m unittest discover", &["unittest"]),
            ("bash -c 'cargo test'", &["cargo test"]),
            ("cargo +nightly test --all", &["cargo test"]),
            ("cargo nextest run", &["cargo nextest"]),
            ("go test ./...", &["go test"]),
            ("node --test", &["node test"]),
            ("./gradlew test", &["gradle"]),
            ("bundle exec rspec", &["rspec"]),
            ("vendor/bin/phpunit", &["phpunit"]),
            ("cargo test --no-run", &[]),
            ("pytest --collect-only", &[]),
            ("make test", &[]),
            ("npm test", &[]),
            ("grep pytest x", &[]),
        ] {
            let named = ContractRunners::of(command).named;
            let names: Vec<&str> = named.iter().map(|known| known.name).collect();
            assert_eq!(names, expected, "{command}");
        }
    }

    #[test]
    fn only_the_runner_that_is_called_is_listened_to() {
        let cargo = "test result: ok. 5 passed; 0 failed; 0 ignored\n";
        check("pytest", (cargo, ""), &[]);
        check("make test", (cargo, ""), &[("cargo test", 5)]);
        check("pytest", ("2 passed in 0.1s\n", cargo), &[("pytest", 2)]);
    }

    #[test]
    fn a_summary_in_the_middle_or_in_the_wrong_stream_is_none() {
        let text = "===== 100 passed in 0.1s =====\nmore\n== 2 passed in 0.1s ==\n";
        check("pytest", (text, ""), &[("pytest", 2)]);
        check("pytest a && pytest b", (text, ""), &[("pytest", 102)]);
        check(
            "for x in a b; do pytest $x; done",
            (text, ""),
            &[("pytest", 102)],
        );
        check("pytest", ("", "3 passed in 0.1s\n"), &[]);
        check(
            "pytest 2>&1 >&2",
            ("", "3 passed in 0.1s\n"),
            &[("pytest", 3)],
        );
        check(
            "python -m unittest",
            ("Ran 3 tests in 0.1s\n\nOK\n", ""),
            &[],
        );
        check(
            "python -m unittest",
            ("", "Ran 3 tests in 0.1s\n\nOK\n"),
            &[("unittest", 3)],
        );
        // Ended before it could say how it went.
        check("python -m unittest", ("", "Ran 3 tests in 0.1s\n"), &[]);
    }

    #[test]
    fn cargo_has_no_more_summaries_than_binaries() {
        let fake = "test result: ok. 100 passed; 0 failed; 0 ignored\n\
                    test result: ok. 2 passed; 0 failed; 0 ignored\n";
        let running = "     Running unittests src/lib.rs (target/debug/deps/a-1)\n";
        check("cargo test", (fake, running), &[("cargo test", 2)]);
        check(
            "cargo test",
            (fake, &running.repeat(2)),
            &[("cargo test", 102)],
        );
        check("cargo test -q", (fake, ""), &[("cargo test", 102)]);
    }

    #[test]
    fn a_runner_without_a_summary_is_missing() {
        let runners = ContractRunners::of("pytest && go test ./...");
        assert_eq!(runners.missing_among(&[]), ["pytest", "go test"]);
        assert_eq!(runners.missing_among(&[GO_PACKAGES]), ["pytest"]);
        assert_eq!(ContractRunners::of("make").missing_among(&[]), [""; 0]);
    }
}
