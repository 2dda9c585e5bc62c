//! The verdict on an attempt: its contract's, and whether the work tampered with the contract.

use signoff_plan::glob;
use signoff_plan::model::{Step, Work};

use super::protection::protected_by_others;
use crate::contract_inputs::{changed_inputs, names_of};
use crate::event::ChangeDetails;
use crate::state::{Run, StepState};
use crate::verdict::{Judgement, Missing, Observation, Verdict, judge, missing_tests, red_summary};

/// The verdict on an attempt.
pub(super) struct AttemptVerdict {
    pub(super) verdict: Verdict,
    /// Why it fails.
    pub(super) unmet: Vec<String>,
    /// The contract holds and the attempt fails all the same, even if it was interrupted.
    pub(super) despite_contract: bool,
}

/// The contract's verdict, unless the work tampered with the contract: then it proves nothing.
pub(super) fn attempt_verdict(
    run: &Run,
    definition: &Step,
    state: &StepState,
    observed: &Observation,
) -> AttemptVerdict {
    let contract = definition.contract.as_ref();
    let expect = contract.map_or(&[][..], |contract| &contract.expect);
    let Judgement { verdict, mut unmet } = judge(expect, observed);
    if let Some(missing) =
        still_missing(definition, state, observed).filter(|_| verdict == Verdict::Fail)
    {
        return AttemptVerdict {
            verdict: Verdict::Inconclusive,
            unmet: vec![missing.line],
            despite_contract: false,
        };
    }
    if verdict != Verdict::Pass {
        let despite_contract = false;
        return AttemptVerdict {
            verdict,
            unmet,
            despite_contract,
        };
    }
    unmet.extend(changed_protected_files(definition, state));
    unmet.extend(forbidden_change(run, definition, state));
    let before = state.baseline.tests.as_ref();
    let tests = contract.and_then(|contract| {
        red_summary(contract, observed).or_else(|| missing_tests(contract, before, observed))
    });
    unmet.extend(tests);
    let despite_contract = !unmet.is_empty();
    AttemptVerdict {
        verdict: if despite_contract {
            Verdict::Fail
        } else {
            Verdict::Pass
        },
        unmet,
        despite_contract,
    }
}

/// The program that a contract misses after the work and that no work can provide: the contract missed it before, too,
/// or starts it itself after an earlier failure. Another attempt would be judged no better.
pub(super) fn still_missing(
    definition: &Step,
    state: &StepState,
    observed: &Observation,
) -> Option<Missing> {
    let before = state.baseline.missing.as_ref();
    let now = observed
        .missing_program_or_module()
        .filter(Missing::is_program)?;
    let was_missing = before.is_some_and(|before| before.is_program() && before.name == now.name);
    let changed = state.changes.files.as_deref().unwrap_or_default();
    let is_out_of_reach = || now.is_out_of_reach(definition) && !now.is_among(changed);
    (was_missing || is_out_of_reach()).then_some(now)
}

/// The protected files that the work changed, including files that were not there when the step began.
pub(super) fn changed_protected_files(definition: &Step, state: &StepState) -> Option<String> {
    let covers = |file: &&String| is_covered(&definition.protects, file, &state.changes.details);
    let mut protected = state.changes.protected.clone();
    if protected.is_empty() {
        let changed = state.changes.files.iter().flatten();
        protected.extend(changed.filter(covers).cloned());
    }
    (!protected.is_empty()).then(|| format!("it changed protected files: {}", protected.join(", ")))
}

/// Whether one of these patterns covers a changed file, by any of its names.
pub(super) fn is_covered(patterns: &[String], file: &str, details: &ChangeDetails) -> bool {
    let names = names_of(file, details);
    let mut patterns = patterns.iter();
    patterns.any(|pattern| names.iter().any(|name| glob::covers(pattern, name)))
}

/// Changes that the plan does not allow this step: to the configuration of any contract's runner, and to files that a
/// parallel step protects.
pub(super) fn forbidden_change(run: &Run, definition: &Step, state: &StepState) -> Option<String> {
    match definition.work {
        Work::Agent { .. } | Work::Tool { .. } => {}
        Work::Ask { .. } | Work::Check => return None,
    }
    let agents = state
        .attempt
        .taken_over
        .as_deref()
        .filter(|agents| agents.files.is_some());
    let recorded = Some(&*state.changes).filter(|changes| changes.files.is_some());
    let changes = recorded.or(agents)?;
    let inputs = changed_inputs(&run.plan().steps, definition, changes);
    // A person answers for their own repairs; the evidence names them.
    let of_agents = |files: Vec<String>| -> Vec<String> {
        let agents = agents.and_then(|agents| agents.files.as_ref());
        let is_theirs = |file: &String| agents.is_none_or(|agents| agents.contains(file));
        files.into_iter().filter(is_theirs).collect()
    };
    if let Some(protected) = protected_by_others(run.plan(), definition, changes) {
        let files = of_agents(protected.files);
        if !files.is_empty() {
            return Some(format!(
                "it changed files that step `{}`, which may run beside it, protects, and `produces` does not name them: {}",
                protected.step,
                first_few(&files)
            ));
        }
    }
    let (config, shadows) = (of_agents(inputs.runner_config), of_agents(inputs.shadows));
    if !config.is_empty() {
        return Some(format!(
            "it changed what configures the runner of a contract, and `produces` does not name that: {}",
            first_few(&config)
        ));
    }
    (!shadows.is_empty()).then(|| {
        let told: Vec<String> = shadows
            .iter()
            .map(|file| with_hidden(file, &changes.details))
            .collect();
        format!(
            "it made files that the runner of a contract loads in place of others, and `produces` does not name them: {}",
            first_few(&told)
        )
    })
}

/// A file with the one that it hides.
fn with_hidden(file: &str, details: &ChangeDetails) -> String {
    let mut displaced = details.displaces.iter();
    match displaced.find(|one| one.file == file && !one.maybe) {
        Some(one) => format!("{file} (in place of {})", one.hides),
        None => file.to_owned(),
    }
}

/// The first of some files, and how many more there are.
fn first_few(files: &[String]) -> String {
    const NAMED: usize = 5;
    let first: Vec<&str> = files.iter().take(NAMED).map(String::as_str).collect();
    match files.len().saturating_sub(NAMED) {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
