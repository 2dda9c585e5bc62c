//! What the harness knows of one step.

use std::collections::BTreeSet;

use serde_json::Value;
use signoff_plan::expression::StepValues;

use crate::Millis;
use crate::event::{Call, Candidate, Changes, Process};
use crate::evidence::{Facts, Grade};
use crate::input::Choice;
use crate::verdict::{ProcessEnd, TestsRun, Verdict, is_repeated};

/// What the harness knows of one step.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepState {
    pub status: StepStatus,
    pub stage: Stage,
    /// Dependencies named and not yet satisfied; of a loop under way, its items.
    pub waits_for: usize,
    /// The loop this is an item of.
    pub parent: Option<usize>,
    /// The item and its number, in a loop.
    pub item: Option<(Value, u64)>,
    /// Its condition was found to hold.
    pub condition_held: bool,
    /// A person gave leave to start its work.
    pub approved: bool,
    /// Arguments that a person put in the place of the plan's.
    pub args: Option<Value>,
    /// What it gave for conditions and references to read.
    pub values: StepValues,
    pub baseline: Option<Verdict>,
    /// The commit that it looked at, where a run has commits.
    pub baseline_on: Option<String>,
    /// Whether that was after the work, because others had changed something meanwhile.
    pub baseline_again: bool,
    /// Why that was no answer, where it is known.
    pub baseline_excuse: Option<String>,
    /// Tests that ran before the work.
    pub tests_before: Option<TestsRun>,
    /// Tests that ran in the last evaluation.
    pub tests_after: Option<TestsRun>,
    /// How the tree was shown to its contract: the weakest of before and after the work.
    pub room: Option<String>,
    /// The last evaluation reused what an earlier one had built.
    pub warm: bool,
    /// It is completed by such an evaluation, and its contract has not held without since.
    pub unconfirmed: bool,
    /// Before or after the work, its contract found what attempts had left in ignored directories.
    pub ignored_work: bool,
    /// Attempts begun so far; numbers are never used twice.
    pub attempts: u32,
    /// Attempts that used up a retry.
    pub failures: u32,
    /// Agents started since a person last granted more.
    pub agents: u64,
    /// Times the harness died or was stopped while the agent worked.
    pub interruptions: u32,
    /// The present attempt was cut off.
    pub interrupted: bool,
    /// Inconclusive evaluations of the present attempt.
    pub inconclusive: u32,
    /// Evaluations in a row that were void: something changed in the checkout while they ran.
    pub void: u32,
    pub not_before: Millis,
    /// How the agent of the present attempt ended.
    pub work_ended: Option<ProcessEnd>,
    /// What the step changed since it began, as far as it was looked at; in worktrees, what its
    /// candidate changes.
    pub changes: Changes,
    /// What its agents had changed when a person took it over to repair it; none = nobody did since
    /// the last attempt began.
    pub taken_over: Option<Changes>,
    /// The first of its last attempts of which nobody saw what they changed: they were cut off.
    pub unseen_since: Option<u32>,
    /// Its attempts that were cut off: no later one goes on from what they did.
    pub cut_off: BTreeSet<u32>,
    pub process: Option<Process>,
    /// The call under way, or whose end nobody saw.
    pub call: Option<Call>,
    /// When the present attempt's work started.
    pub started_at: Millis,
    /// When the step began; 0 = it has not.
    pub began_at: Millis,
    /// When it last ended; 0 = it has not.
    pub ended_at: Millis,
    /// What its agent said last; told, never judged.
    pub said: Option<String>,
    /// What the next prompt must say about the attempt before.
    pub failure: Option<Failure>,
    /// A person's advice for the next attempt.
    pub hint: Option<String>,
    /// An answer whose consequence has not been recorded yet.
    pub answered: Option<(Choice, String)>,
    /// Who repaired the step by hand.
    pub repaired_by: Option<String>,
    /// Who accepted it, where its contract is still to be seen.
    pub accepted_by: Option<String>,
    /// Files that its contract changed; they were thrown away with its layer.
    pub contract_writes: Vec<String>,
    pub evidence: Option<(Grade, Facts)>,
    /// The tree at which its contract was last evaluated.
    pub tree: u64,
    /// The commit that its own worktree began with; none = it is to begin with the head.
    pub base: Option<String>,
    /// The commit whose content its own worktree began with, where the attempt before was put on a
    /// newer base.
    pub carried: Option<String>,
    /// The present attempt conflicts with what was merged before.
    pub conflicted: bool,
    /// What the tree will be if its contract holds.
    pub candidate: Option<Candidate>,
    /// The commit that it was merged as.
    pub commit: Option<String>,
    /// The git tree of its last verdict.
    pub judged_on: Option<String>,
    /// Its call may have changed the tree.
    pub changed_tree: bool,
    /// The run's tree is its own until it is merged or given up.
    pub holds: bool,
    /// It has one of the places for work. One that a person's answer takes up again has to wait for one.
    pub placed: bool,
    /// Its contract held, and no longer did at the end.
    pub regressed: bool,
    /// Dependents count this step as done.
    pub satisfies: bool,
    /// It was done under an earlier version of the plan, and does not fall with what it waits for.
    pub kept: bool,
    /// It is among those that progress counts.
    pub counted: bool,
    /// It ended before and was taken up again.
    pub ended_before: bool,
    /// Why it failed, was skipped or is blocked.
    pub reason: Option<String>,
}

impl StepState {
    /// Is its contract run again because something changed in the checkout while it ran?
    pub fn is_run_again(&self) -> bool {
        self.void > 0 && is_repeated(self.void)
    }

    /// How its agent ended, if that was not well and nothing else shows that the work was done.
    pub(crate) fn ended_badly(&self) -> Option<&ProcessEnd> {
        let proved = self.baseline == Some(Verdict::Fail);
        let ended = self.work_ended.as_ref();
        ended.filter(|ended| !ended.succeeded() && !proved)
    }

    /// How long it took from its beginning to its end, with all the waiting in between.
    pub fn took(&self) -> Option<Millis> {
        let known = self.began_at > 0 && self.ended_at >= self.began_at;
        known.then(|| self.ended_at - self.began_at)
    }
}

/// Where a step stands between two events.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stage {
    #[default]
    Idle,
    NeedsBaseline,
    Baselining,
    NeedsWork,
    /// Its agent works, or its tool is called.
    Working {
        attempt: u32,
    },
    NeedsEvaluation {
        attempt: u32,
    },
    Evaluating {
        attempt: u32,
    },
    /// Its work is put on top of what was merged before.
    Assembling {
        attempt: u32,
    },
    /// Its contract holds on the candidate.
    NeedsMerge {
        attempt: u32,
    },
    /// The candidate becomes the head.
    Merging {
        attempt: u32,
    },
    /// A loop that has become its items.
    Expanded,
    Waiting {
        item: String,
    },
    /// Done as far as its agent goes; a person decides at the end.
    Provisional,
    Ended,
    /// It has ended, and its contract runs once more on the last tree.
    Rechecking,
}

impl Stage {
    pub(crate) fn in_flight(&self) -> bool {
        matches!(
            self,
            Self::Baselining
                | Self::Working { .. }
                | Self::Evaluating { .. }
                | Self::Assembling { .. }
                | Self::Merging { .. }
                | Self::Rechecking
        )
    }
}

/// The nine statuses of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepStatus {
    #[default]
    Pending,
    Blocked,
    Ready,
    Running,
    Verifying,
    Waiting,
    Completed,
    Failed,
    Skipped,
}

/// A failed attempt, as its successor is told about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub unmet: Vec<String>,
    pub ended: ProcessEnd,
    pub stdout: String,
    pub stderr: String,
    /// The work was not merged: the files in which it conflicts, with the conflicting parts in
    /// `stdout`, or no file and the reason there. Nothing was run.
    pub conflict: Option<Vec<String>>,
}
