//! What the runs of a step's contract showed.

use super::step::Failure;
use crate::verdict::{Missing, Observation, TestsRun, Verdict, weaker_mode};

/// The contract's run without the step's work.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    pub verdict: Option<Verdict>,
    /// The commit that it ran on, if the run has commits.
    pub commit: Option<String>,
    /// It ran after the work, because other steps had changed the tree meanwhile.
    pub after_work: bool,
    /// Why it gave no answer, if known.
    pub inconclusive_reason: Option<String>,
    /// Tests that ran in it.
    pub tests: Option<TestsRun>,
    /// What it did not find, if it failed and said so.
    pub missing: Option<Missing>,
}

/// What is known of all runs of the contract, and of the last of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContractRuns {
    /// The version of the tree that the last run saw.
    pub tree_version: u64,
    /// The git tree of the last verdict.
    pub judged_on: Option<String>,
    /// Tests that ran in the last evaluation.
    pub tests: Option<TestsRun>,
    /// How the tree was shown to it (`overlay`, `copy`, `shared`): the weakest of all runs.
    pub overlay_mode: Option<String>,
    /// The machine of the last run, where several share the work.
    pub machine: Option<Box<str>>,
    /// The last run reused what an earlier one had built.
    pub warm: bool,
    /// Before or after the work, it found what attempts had left in ignored directories.
    pub ignored_work: bool,
    /// Files that it changed; they were thrown away with its layer.
    pub writes: Vec<String>,
    /// What the last run said that it did not find, although it went on.
    pub missed: Option<String>,
    /// What the last run that did not hold showed, for a person who is asked about the step.
    // Boxed: most steps have none.
    pub red: Option<Box<Failure>>,
}

impl ContractRuns {
    /// The same after a baseline: what is known of earlier work no longer counts.
    pub(crate) fn after_baseline(&self, observed: &Observation) -> Self {
        Self {
            overlay_mode: observed.overlay_mode.clone(),
            machine: observed.machine.clone(),
            warm: observed.warm,
            ignored_work: observed.ignored_work,
            writes: self.writes_with(observed),
            ..self.clone()
        }
    }

    /// The same after a run that judged the work.
    pub(crate) fn after_evaluation(&self, observed: &Observation) -> Self {
        Self {
            tree_version: self.tree_version,
            judged_on: observed.tree.clone().or_else(|| self.judged_on.clone()),
            tests: observed.tests.clone(),
            missed: observed.missed_program().map(str::to_owned),
            overlay_mode: weaker_mode(
                self.overlay_mode.as_deref(),
                observed.overlay_mode.as_deref(),
            ),
            machine: observed.machine.clone(),
            warm: observed.warm,
            ignored_work: self.ignored_work || observed.ignored_work,
            writes: self.writes_with(observed),
            red: self.red.clone(),
        }
    }

    fn writes_with(&self, observed: &Observation) -> Vec<String> {
        let mut writes = self.writes.clone();
        for path in &observed.wrote {
            if !writes.contains(path) {
                writes.push(path.clone());
            }
        }
        writes
    }
}
