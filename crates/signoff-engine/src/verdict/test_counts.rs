//! Whether the tests that ran before the work still run after it, and pass.

use signoff_plan::model::{Condition, Contract};

use super::{Observation, TestsRun};
use crate::tests_run::{
    ContractRunners, SEVERAL, Summary, is_by_package, is_same_runner, may_skip_at_run_time,
    tells_when_green, test_names,
};

/// Between the names of several runners.
const AND: &str = " + ";

/// An observation before the work, with the tests that its output reports: those that passed or failed.
pub(crate) fn count_before(contract: Option<&Contract>, observed: Observation) -> Observation {
    with_test_counts(contract, observed, Summary::ran, false)
}

/// The same after the work: only those count that passed, unless the contract wants them to fail.
pub(crate) fn count_after(contract: Option<&Contract>, observed: Observation) -> Observation {
    let wants_failures = contract.is_some_and(wants_failures);
    with_test_counts(
        contract,
        observed,
        tests_that_count(contract),
        !wants_failures,
    )
}

fn with_test_counts(
    contract: Option<&Contract>,
    observed: Observation,
    count: fn(&Summary) -> u64,
    only_passed: bool,
) -> Observation {
    let command = contract.map_or("", |contract| contract.command.as_str());
    let found = ContractRunners::of(command).counts(&observed.stdout, &observed.stderr);
    let all = found.iter().map(|(_, summary)| *summary);
    let all = all.reduce(Summary::plus);
    let run = all.map(|all| count(&all));
    // A runner that ran nothing explains nothing, unless there is no other.
    let explains = |(_, summary): &&(&str, Summary)| count(summary) > 0 || run == Some(0);
    let names: Vec<&str> = found
        .iter()
        .filter(explains)
        .map(|(name, _)| *name)
        .collect();
    let outputs = [observed.stdout.as_str(), observed.stderr.as_str()];
    Observation {
        tests: all.zip(run).map(|(all, run)| TestsRun {
            run,
            failed: saturating_u32(all.failed.saturating_add(all.errors)),
            skipped: saturating_u32(all.skipped),
            runner: names.join(AND),
            names: test_names(outputs, only_passed, run),
        }),
        ..observed
    }
}

/// A count that is too large becomes the largest.
fn saturating_u32(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Which tests count after the work.
fn tests_that_count(contract: Option<&Contract>) -> fn(&Summary) -> u64 {
    if contract.is_some_and(wants_failures) {
        Summary::ran
    } else {
        |summary| summary.passed
    }
}

/// Whether a contract that holds may go with tests that fail: `! pytest test_bug.py`, `exit_code == 1`.
fn wants_failures(contract: &Contract) -> bool {
    let other_code = |condition: &Condition| matches!(condition, Condition::ExitCode(1..));
    contract.expect.iter().any(other_code) || negates_a_runner(&contract.command)
}

/// Whether a text has `!` before something that may run tests: not before `grep` and its like.
fn negates_a_runner(command: &str) -> bool {
    const INDIRECT: [&str; 9] = [
        "make", "just", "npm", "yarn", "pnpm", "tox", "nox", "bash", "sh",
    ];
    let ends = |word: &&str| !matches!(*word, "&&" | "||" | "|" | ";");
    let mut words = command.split_whitespace();
    while let Some(word) = words.next() {
        let negated: Vec<&str> = words.clone().take_while(ends).collect();
        let first = negated.first().copied().unwrap_or_default();
        let runs = || {
            first.contains('/')
                || INDIRECT.contains(&first)
                || ContractRunners::of(&negated.join(" ")).calls_any()
        };
        if word == "!" && runs() {
            return true;
        }
    }
    false
}

/// A runner that says itself that tests failed, although the contract holds: code under test that ends
/// the process decides its exit code (`os._exit(0)` at exit).
pub(crate) fn red_summary(contract: &Contract, observed: &Observation) -> Option<String> {
    if wants_failures(contract) {
        return None;
    }
    let found = ContractRunners::of(&contract.command).counts(&observed.stdout, &observed.stderr);
    let (name, summary) = found.into_iter().find(|(_, summary)| summary.is_red())?;
    let Summary { failed, errors, .. } = summary;
    Some(match failed {
        0 => format!("{name} closes with errors ({errors}), although the contract holds"),
        _ => format!("{name} closes with failed tests ({failed}), although the contract holds"),
    })
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
    let count = tests_that_count(Some(contract));
    let may_be_fewer = contract.fewer_tests_allowed;
    if !may_be_fewer && !counts.is_empty() && counts.iter().all(|(_, sum)| count(sum) == 0) {
        let skipped = counts.iter().any(|(_, summary)| summary.skipped > 0);
        let reason = if skipped {
            "no test passed"
        } else {
            "no test ran"
        };
        return Some(reason.to_owned());
    }
    let before = before?;
    // Runs of earlier versions did not name them.
    let is_unnamed = before.runner == SEVERAL;
    let names: Vec<&str> = before.runner.split(AND).collect();
    let silent = |name: &&&str| {
        let closes = |(counted, _): &(&str, _)| {
            *counted == **name || (before.run == 0 && is_same_runner(counted, name))
        };
        let is_counted = counts.iter().any(closes);
        !is_counted && tells_when_green(name) && (runners.names(name) || !may_be_fewer)
    };
    if let Some(name) = names.iter().find(silent).filter(|_| !is_unnamed) {
        let before = match before.run {
            0 => "it did before".to_owned(),
            run => format!("{run} tests ran before"),
        };
        return Some(format!(
            "{name} did not close with its summary, although {before}"
        ));
    }
    let same = counts
        .iter()
        .filter(|(name, _)| is_unnamed || names.contains(name));
    let after = same.map(|(_, sum)| count(sum)).fold(0, u64::saturating_add);
    let tells = names.iter().all(|name| tells_when_green(name));
    (!may_be_fewer && tells && after < before.run)
        .then(|| format!("fewer tests ran than before: {after} of {}", before.run))
}

/// Why the reported tests do not prove the work.
pub(crate) fn reasons_for_doubt(
    contract: &Contract,
    before: Option<&TestsRun>,
    after: Option<&TestsRun>,
) -> Vec<String> {
    let mut reasons = silent_runners(contract, after);
    let Some(after) = after else {
        return reasons;
    };
    if after.runner.split(AND).any(is_by_package) {
        reasons.push("`go test` told packages and no tests: add `-v`".to_owned());
    }
    let skips = before.is_some() || after.runner.split(AND).any(may_skip_at_run_time);
    let skipped = before.map_or(0, |before| before.skipped);
    if skips && after.skipped > skipped {
        reasons.push(format!(
            "more tests were skipped or expected to fail than before the work: {}, not {skipped}",
            after.skipped
        ));
    }
    reasons.extend(vanished_test(contract, before, after));
    if after.failed > 0 {
        reasons.push("tests failed, as the contract wants it".to_owned());
    }
    reasons
}

/// A test that ran before the work and did not pass after it, although as many did.
fn vanished_test(
    contract: &Contract,
    before: Option<&TestsRun>,
    after: &TestsRun,
) -> Option<String> {
    let before = before.filter(|_| !contract.fewer_tests_allowed && !after.names.is_empty())?;
    let mut gone = before
        .names
        .iter()
        .filter(|name| !after.names.contains(name));
    let first = gone.next()?;
    let more = match gone.count() {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    Some(format!(
        "test `{first}`{more} ran before the work and was not seen to pass after it"
    ))
}

/// Runners that the contract calls and that said nothing at its end, each with what is not known.
fn silent_runners(contract: &Contract, after: Option<&TestsRun>) -> Vec<String> {
    let runners = ContractRunners::of(&contract.command);
    let reported: Vec<&str> =
        after.map_or_else(Vec::new, |after| after.runner.split(AND).collect());
    let silent = runners.missing_among(&reported).into_iter();
    let worded = silent.map(|name| {
        if tells_when_green(name) {
            format!("no summary of {name} was seen")
        } else {
            format!("{name} does not tell how many tests ran when all of them pass")
        }
    });
    worded.collect()
}

/// The number of tests, where a runner reported tests.
pub(crate) fn reported_tests(tests: Option<&TestsRun>) -> Option<u64> {
    let tests = tests.filter(|tests| !tests.runner.split(AND).all(is_by_package));
    tests.map(|tests| tests.run)
}

#[cfg(test)]
mod tests;
