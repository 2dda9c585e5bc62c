use super::*;
use crate::verdict::ProcessEnd;

fn contract(command: &str, fewer_tests_allowed: bool) -> Contract {
    Contract {
        command: command.to_owned(),
        shell: None,
        expect: Vec::new(),
        timeout: None,
        baseline: true,
        fewer_tests_allowed,
        holds_once: false,
    }
}

fn printed(stdout: &str) -> Observation {
    let mut observed = Observation::new(ProcessEnd::Exited(0));
    stdout.clone_into(&mut observed.stdout);
    observed
}

/// What is said of an output after the work, given the one before.
#[track_caller]
fn check(command: &str, before: &str, after: &str, expected: Option<&str>) {
    let contract = contract(command, false);
    let before = count_before(Some(&contract), printed(before)).tests;
    let found = missing_tests(&contract, before.as_ref(), &printed(after));
    assert_eq!(
        found.as_deref(),
        expected,
        "{command}: {before:?} -> {after}"
    );
}

const GONE: &str = "pytest did not close with its summary, although 3 tests ran before";

#[test]
fn tests_may_not_vanish() {
    let red = "1 failed, 2 passed in 0.1s";
    check("pytest", red, "3 passed in 0.1s", None);
    check("pytest", red, "4 passed in 0.1s", None);
    // `os._exit(0)` in a test module.
    check("pytest", red, "", Some(GONE));
    // Another runner's summary.
    check(
        "pytest",
        red,
        "test result: ok. 9 passed; 0 failed; 0 ignored",
        Some(GONE),
    );
    check(
        "make test",
        red,
        "test result: ok. 9 passed; 0 failed; 0 ignored",
        Some(GONE),
    );
    check("./check.sh", red, "all good", Some(GONE));
    // A summary that code under test prints, and then the real one.
    let faked = "90 passed in 0.1s\n2 passed in 0.1s";
    check(
        "pytest",
        red,
        faked,
        Some("fewer tests ran than before: 2 of 3"),
    );
    check("pytest", red, "no tests ran in 0.1s", Some("no test ran"));
    // Output that ends early.
    check("pytest", red, "== 3 passed in", Some(GONE));
}

#[test]
fn what_had_no_tests_before_has_nothing_to_lose() {
    check("cargo test", "error: could not compile", "", None);
    check(
        "cargo test",
        "",
        "test result: ok. 1 passed; 0 failed; 0 ignored",
        None,
    );
    check("test -f x", "", "", None);
    check(
        "go test ./...",
        "FAIL\ta [build failed]\n",
        "ok  \ta\t0.1s\n",
        None,
    );
    check("pytest", "no tests ran in 0.1s", "2 passed in 0.1s", None);
}

#[test]
fn of_several_runners_each_has_to_close() {
    let both = "2 passed in 0.1s\nTests:       3 passed, 3 total";
    check(
        "pytest && npx jest",
        "1 failed, 1 passed in 0.1s",
        both,
        None,
    );
    check("pytest; npx jest", both, both, None);
    check(
        "pytest; npx jest",
        both,
        "2 passed in 0.1s",
        Some("jest did not close with its summary, although 5 tests ran before"),
    );
}

#[test]
fn a_green_run_of_gradle_tells_no_number() {
    check(
        "gradle test",
        "6 tests completed, 1 failed",
        "BUILD SUCCESSFUL in 3s",
        None,
    );
    let gradle = contract("gradle test", false);
    assert_eq!(
        silent_runners(&gradle, None),
        ["gradle does not tell how many tests ran when all of them pass"]
    );
}

#[test]
fn fewer_may_be_allowed_but_the_runner_has_to_close() {
    let before = TestsRun {
        run: 3,
        failed: 1,
        skipped: 0,
        runner: "pytest".to_owned(),
        names: Vec::new(),
    };
    let said = |command: &str, after: &str| {
        missing_tests(&contract(command, true), Some(&before), &printed(after))
    };
    assert_eq!(said("pytest", "1 passed in 0.1s"), None);
    assert_eq!(said("pytest", "no tests ran in 0.1s"), None);
    assert_eq!(said("pytest", "").as_deref(), Some(GONE));
    assert_eq!(said("./check.sh", ""), None);
}

#[test]
fn a_run_of_an_earlier_version_is_compared_by_its_sum() {
    let before = TestsRun {
        run: 5,
        failed: 0,
        skipped: 0,
        runner: SEVERAL.to_owned(),
        names: Vec::new(),
    };
    let said =
        |after: &str| missing_tests(&contract("make", false), Some(&before), &printed(after));
    assert_eq!(said("5 passed in 0.1s"), None);
    assert_eq!(
        said("4 passed in 0.1s").as_deref(),
        Some("fewer tests ran than before: 4 of 5")
    );
}

#[test]
fn only_tests_that_pass_count_after_the_work() {
    let red = "2 failed in 0.1s";
    check("pytest", red, "2 xfailed in 0.1s", Some("no test passed"));
    check("pytest", red, "2 skipped in 0.1s", Some("no test passed"));
    let one = "1 passed, 1 xfailed in 0.1s";
    check(
        "pytest",
        red,
        one,
        Some("fewer tests ran than before: 1 of 2"),
    );
    // A module that could not be loaded is not a test, but its runner has to close.
    check(
        "pytest",
        "1 error in 0.1s",
        "1 passed, 2 skipped in 0.1s",
        None,
    );
    check(
        "make",
        "1 error in 0.1s",
        "",
        Some("pytest did not close with its summary, although it did before"),
    );
    // What is expected to fail all the time takes nothing away.
    let before = "1 failed, 2 xfailed in 0.1s";
    check("pytest", before, "1 passed, 2 xfailed in 0.1s", None);
    // A file that ends the process is not a test.
    let tap = "# Subtest: /p/x.test.js\nok 1 - /p/x.test.js\n# tests 1\n# pass 1\n# fail 0\n";
    check("node --test", "", tap, Some("no test ran"));
}

#[test]
fn a_summary_that_counts_failures_is_never_green() {
    let said =
        |command: &str, stdout: &str| red_summary(&contract(command, true), &printed(stdout));
    for (command, output, name) in [
        ("pytest", "2 failed in 0.1s", "pytest"),
        (
            "make",
            "Ran 2 tests in 0.1s\n\nFAILED (failures=2)\n",
            "unittest",
        ),
        (
            "node --test",
            "# tests 2\n# pass 0\n# fail 2\n",
            "node test",
        ),
        (
            "cargo test",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored",
            "cargo test",
        ),
        (
            "go test ./...",
            "FAIL\ta\t0.1s\nFAIL\tb\t0.1s\n",
            "go test, by package",
        ),
        (
            "npx jest",
            "Tests:       2 failed, 3 passed, 5 total",
            "jest",
        ),
    ] {
        assert_eq!(
            said(command, output).as_deref(),
            Some(&*format!(
                "{name} closes with failed tests (2), although the contract holds"
            )),
            "{command}"
        );
    }
    assert_eq!(
        said("pytest", "3 passed, 1 error in 0.1s").as_deref(),
        Some("pytest closes with errors (1), although the contract holds")
    );
    assert_eq!(said("pytest", "3 passed, 1 warning in 0.1s"), None);
    // A test that shows a fault has to fail.
    assert_eq!(said("! pytest", "2 failed in 0.1s"), None);
    assert_eq!(
        said("test -e x && ! uv run pytest y", "2 failed in 0.1s"),
        None
    );
    assert_eq!(
        said("if ! make test; then true; fi", "2 failed in 0.1s"),
        None
    );
    assert!(said("! grep -r TODO src && pytest", "2 failed in 0.1s").is_some());
    let mut red = contract("pytest", false);
    red.expect = vec![Condition::ExitCode(1)];
    let seen = printed("2 failed in 0.1s");
    assert_eq!(red_summary(&red, &seen), None);
    assert_eq!(missing_tests(&red, None, &seen), None);
    let after = count_after(Some(&red), seen).tests;
    assert_eq!(
        reasons_for_doubt(&red, None, after.as_ref()),
        ["tests failed, as the contract wants it"]
    );
}

#[test]
fn what_is_skipped_or_not_told_leaves_a_doubt() {
    let doubts_of = |command: &str, before: &str, after: &str| {
        let contract = contract(command, false);
        let before = count_before(Some(&contract), printed(before)).tests;
        let after = count_after(Some(&contract), printed(after)).tests;
        reasons_for_doubt(&contract, before.as_ref(), after.as_ref())
    };
    let skipped = "more tests were skipped or expected to fail than before the work: 2, not 0";
    let passed = "1 passed, 2 skipped in 0.1s";
    assert_eq!(doubts_of("pytest", "1 error in 0.1s", passed), [skipped]);
    assert_eq!(doubts_of("pytest", "", passed), [skipped]);
    assert_eq!(
        doubts_of("pytest", "1 failed, 2 skipped in 0.1s", passed),
        [""; 0]
    );
    // What could not be built before said nothing of the tests that are always ignored.
    let ignored = "test result: ok. 3 passed; 0 failed; 2 ignored";
    assert_eq!(doubts_of("cargo test", "error: no", ignored), [""; 0]);
    assert_eq!(
        doubts_of("go test ./...", "FAIL\ta\t0.1s\n", "ok  \ta\t0.1s\n"),
        ["`go test` told packages and no tests: add `-v`"]
    );
    let verbose = "=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \ta\t0.1s\n";
    assert_eq!(doubts_of("go test -v ./...", "", verbose), [""; 0]);
    let before = "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nFAIL\nFAIL\ta\t0.1s\n";
    let twice = "=== RUN   TestB\n--- PASS: TestB (0.00s)\n=== RUN   TestB\n--- PASS: TestB (0.00s)\nPASS\nok  \ta\t0.1s\n";
    assert_eq!(
        doubts_of("go test -v ./...", before, twice),
        ["test `TestA` ran before the work and was not seen to pass after it"]
    );
    let both = before
        .replace("FAIL: TestA", "PASS: TestA")
        .replace("FAIL\nFAIL", "PASS\nok  ");
    assert_eq!(doubts_of("go test -v ./...", before, &both), [""; 0]);
}
