//! Whether the tests that ran before the work still ran after it.

use signoff_plan::model::Contract;

use super::{Observation, TestsRun};
use crate::tests_run::{ContractRunners, SEVERAL, tells_when_green};

/// Between the names of several runners.
const AND: &str = " + ";

/// An observation with the number of tests that its output tells.
pub(crate) fn counted(contract: Option<&Contract>, observed: Observation) -> Observation {
    let counts = counts(contract, &observed);
    let run = counts.iter().map(|(_, run)| *run);
    let run = run.reduce(u64::saturating_add);
    // A runner that ran nothing explains nothing, unless there is no other.
    let explains = |(_, count): &&(&str, u64)| *count > 0 || run == Some(0);
    let names: Vec<&str> = counts
        .iter()
        .filter(explains)
        .map(|(name, _)| *name)
        .collect();
    Observation {
        tests: run.map(|run| TestsRun {
            run,
            runner: names.join(AND),
        }),
        ..observed
    }
}

fn counts(contract: Option<&Contract>, observed: &Observation) -> Vec<(&'static str, u64)> {
    let command = contract.map_or("", |contract| contract.command.as_str());
    ContractRunners::of(command).counts(&observed.stdout, &observed.stderr)
}

/// Why a contract that holds shows too few tests: none, fewer than before, or no summary of a runner
/// that had one before.
pub(crate) fn missing_tests(
    contract: &Contract,
    before: Option<&TestsRun>,
    observed: &Observation,
) -> Option<String> {
    let runners = ContractRunners::of(&contract.command);
    let counts = runners.counts(&observed.stdout, &observed.stderr);
    let may_be_fewer = contract.fewer_tests_allowed;
    if !may_be_fewer && !counts.is_empty() && counts.iter().all(|(_, run)| *run == 0) {
        return Some("no test ran".to_owned());
    }
    let before = before.filter(|before| before.run > 0)?;
    // Runs of earlier versions did not name them.
    let is_unnamed = before.runner == SEVERAL;
    let names: Vec<&str> = before.runner.split(AND).collect();
    let silent = |name: &&&str| {
        let is_counted = counts.iter().any(|(counted, _)| *counted == **name);
        !is_counted && tells_when_green(name) && (runners.names(name) || !may_be_fewer)
    };
    if let Some(name) = names.iter().find(silent).filter(|_| !is_unnamed) {
        return Some(format!(
            "{name} did not close with its summary, although {} tests ran before",
            before.run
        ));
    }
    let same = counts
        .iter()
        .filter(|(name, _)| is_unnamed || names.contains(name));
    let after = same.map(|(_, run)| *run).fold(0, u64::saturating_add);
    let tells = names.iter().all(|name| tells_when_green(name));
    (!may_be_fewer && tells && after < before.run)
        .then(|| format!("fewer tests ran than before: {after} of {}", before.run))
}

/// Runners that the contract calls and that said nothing at its end, each with what is not known.
pub(super) fn silent_runners(contract: &Contract, after: Option<&TestsRun>) -> Vec<String> {
    let runners = ContractRunners::of(&contract.command);
    let seen: Vec<&str> = after.map_or_else(Vec::new, |after| after.runner.split(AND).collect());
    let silent = runners.missing_among(&seen).into_iter();
    let worded = silent.map(|name| {
        if tells_when_green(name) {
            format!("no summary of {name} was seen")
        } else {
            format!("{name} does not tell how many tests ran when all of them pass")
        }
    });
    worded.collect()
}

#[cfg(test)]
mod tests {
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
        let before = counted(Some(&contract), printed(before)).tests;
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
            runner: "pytest".to_owned(),
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
            runner: SEVERAL.to_owned(),
        };
        let said =
            |after: &str| missing_tests(&contract("make", false), Some(&before), &printed(after));
        assert_eq!(said("5 passed in 0.1s"), None);
        assert_eq!(
            said("4 passed in 0.1s").as_deref(),
            Some("fewer tests ran than before: 4 of 5")
        );
    }
}
