//! What the harness knows of one step.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;
use signoff_plan::blank;
use signoff_plan::expression::StepValues;
use signoff_plan::sparse::Sparse;

use super::attempt::AttemptState;
use super::contract::{Baseline, ContractRuns};
use super::made_call::MadeCall;
use super::replan::ChosenRole;
use super::stage::{Stage, StepStatus};
use super::token_usage::TokenUsage;
use crate::Millis;
use crate::event::{BudgetLimit, Changes, Choice};
use crate::evidence::{Evidence, EvidenceFacts, Grade};
use crate::verdict::{ProcessEnd, Verdict, is_repeated};

/// What the harness knows of one step.
///
/// What begins and ends together is one value: a new attempt is a new [`AttemptState`], and a step that
/// starts again has a new [`Activation`]. Nothing is reset field by field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepState {
    pub status: StepStatus,
    pub stage: Stage,
    /// Dependencies named and not yet satisfied; of a loop under way, its items.
    pub waits_for: usize,
    /// Dependents count this step as done.
    pub satisfies: bool,
    /// Progress counts it as done.
    pub counted: bool,
    /// Which item of which loop it is.
    pub item: Option<Box<LoopItem>>,
    /// Its values, for conditions and references of other steps.
    pub values: Sparse<StepValues>,
    pub activation: Sparse<Activation>,
    /// Attempts begun so far; numbers are never used twice.
    pub attempts: u32,
    pub attempt: Sparse<AttemptState>,
    /// A call that must not be made again without a person's leave, whatever became of the attempt.
    pub made_call: MadeCall,
    /// What the run has given it to work with.
    pub allocation: Allocation,
    pub baseline: Sparse<Baseline>,
    pub contract: Sparse<ContractRuns>,
    /// What the step changed since it began, as far as it was recorded; in worktrees, what its
    /// candidate changes.
    pub changes: Sparse<Changes>,
    pub cut_off: Sparse<CutOffAttempts>,
    /// What the next prompt says about earlier attempts.
    pub advice: Sparse<Advice>,
    pub outcome: StepOutcome,
    pub history: History,
    pub usage: Sparse<StepUsage>,
}

blank!(
    Activation,
    AttemptState,
    Baseline,
    ContractRuns,
    Changes,
    CutOffAttempts,
    Advice,
    StepUsage
);

impl StepState {
    /// Frees the memory of parts that have their initial values: a run may have a hundred thousand ended steps.
    pub(crate) fn condense(&mut self) {
        // When its agent started to work is not needed any more.
        if let Some(attempt) = self.attempt.as_mut() {
            attempt.started_at = 0;
        }
        self.values.condense();
        self.activation.condense();
        self.attempt.condense();
        self.baseline.condense();
        self.contract.condense();
        self.changes.condense();
        self.cut_off.condense();
        self.advice.condense();
        self.usage.condense();
    }

    /// Position of the loop that this step is an item of.
    pub fn parent(&self) -> Option<usize> {
        self.item.as_ref().map(|item| item.parent)
    }

    /// Must its contract run again because the checkout changed while it ran?
    pub fn is_run_again(&self) -> bool {
        self.attempt.void > 0 && is_repeated(self.attempt.void)
    }

    /// How its agent failed, if no baseline shows that the work was done anyway.
    pub(crate) fn ended_badly(&self) -> Option<String> {
        let proved = self.baseline.verdict == Some(Verdict::Fail);
        self.attempt.work_failure().filter(|_| !proved)
    }

    /// Time from its beginning to its end, including all waiting.
    pub fn duration(&self) -> Option<Millis> {
        let History {
            began_at, ended_at, ..
        } = self.history;
        let known = began_at > 0 && ended_at >= began_at;
        known.then(|| ended_at - began_at)
    }
}

/// An item of a loop.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopItem {
    /// Position of the loop.
    pub parent: usize,
    pub value: Value,
    pub number: u64,
    /// An earlier run had it at another place of the list.
    pub is_moved: bool,
}

/// What is known of a step since it last started: for the first time, or because a person allowed
/// another try after it had ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Activation {
    /// Its condition (`when`) holds.
    pub condition_held: bool,
    /// A person approved the start of its work.
    pub approved: bool,
    /// A person lets its agent work although its contract could not run before.
    pub unjudged_allowed: bool,
    /// Arguments from a person, which replace those of the plan.
    pub args: Option<Value>,
    /// Who gave them.
    pub args_by: Option<String>,
    /// A model gave them: approvals are asked for whatever the plan allows for its own arguments.
    pub args_by_model: bool,
    /// Why a model is asked how it goes on.
    pub recovery_because: Option<String>,
    /// How often a model decided how it goes on.
    pub recoveries: u32,
    /// Who does it, if the arbiter was asked.
    pub role: Option<ChosenRole>,
    /// An answer whose consequence has not been recorded yet.
    pub answered: Option<Answered>,
    /// Attempts that used up a retry.
    pub failures: u32,
    /// Agents started since a person last extended the budget.
    pub agents: u64,
    /// What they used since then.
    pub spent: TokenUsage,
    /// The limit that a person is asked about.
    pub asked: Option<BudgetLimit>,
    /// How often the harness died while the agent worked. A stop by a person does not count.
    pub interruptions: u32,
    pub not_before: Millis,
    /// The commit that its own worktree starts from; `None` = the head.
    pub base: Option<String>,
    /// The commit whose content its own worktree starts with, if the previous attempt was moved to a
    /// newer base.
    pub carried: Option<String>,
}

/// A person's answer to a question about a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    pub choice: Choice,
    pub by: String,
}

impl Answered {
    pub(crate) fn new(choice: Choice, by: &str) -> Self {
        let by = by.to_owned();
        Self { choice, by }
    }
}

/// What the run has given a step to work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Allocation {
    #[default]
    Nothing,
    /// One of the `jobs` slots. A step that continues after a person's answer waits for a free one.
    Slot,
    /// A slot, and the run's tree until the step is merged or given up.
    MergeQueue,
}

impl Allocation {
    pub fn has_slot(self) -> bool {
        self >= Self::Slot
    }

    pub fn has_queue(self) -> bool {
        self == Self::MergeQueue
    }

    pub(crate) fn take_slot(&mut self) {
        *self = (*self).max(Self::Slot);
    }

    pub(crate) fn leave_queue(&mut self) {
        *self = (*self).min(Self::Slot);
    }
}

/// Attempts of a step that were cut off.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CutOffAttempts {
    /// Later attempts do not continue from what these left.
    pub numbers: BTreeSet<u32>,
    /// The first of the latest attempts whose changes were not recorded.
    pub unseen_since: Option<u32>,
}

/// What the next prompt says about earlier attempts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// How the previous attempt failed.
    pub failure: Option<Failure>,
    /// What a person advises.
    pub hint: Option<String>,
}

/// How a step ended, and how we know.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepOutcome {
    // Most steps of a long run have the same.
    pub evidence: Option<Arc<Evidence>>,
    /// Why it failed, was skipped or is blocked.
    pub reason: Option<String>,
    /// Its last evaluation reused what an earlier one had built, and no evaluation without that has
    /// passed since.
    pub unconfirmed: bool,
    /// Its contract held once and failed at the end.
    pub regressed: bool,
    /// It was done under an earlier version of the plan, and stays done if its dependencies fail.
    pub kept: bool,
}

impl StepOutcome {
    pub fn grade(&self) -> Option<Grade> {
        self.evidence.as_ref().map(|evidence| evidence.grade)
    }

    pub fn facts(&self) -> Option<&EvidenceFacts> {
        self.evidence.as_ref().map(|evidence| &evidence.facts)
    }
}

/// What is remembered of a step across activations.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// When the step began; 0 = it has not.
    pub began_at: Millis,
    /// When it last ended; 0 = it has not.
    pub ended_at: Millis,
    /// It ended before and started again.
    pub ended_before: bool,
    /// How long its agents worked, if a budget needs it and the time is not yet counted as finished work.
    pub worked: Millis,
    /// What its agent said last; shown to people, never judged.
    pub said: Option<String>,
}

/// What the agents of a step used, over all its attempts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepUsage {
    pub total: TokenUsage,
    /// The role of the last agent.
    pub agent: Option<String>,
    /// The model that it was asked to use, otherwise the one that it reported.
    pub model: Option<String>,
    /// What is not counted as done work yet.
    pub open: TokenUsage,
}

/// A failed attempt, as the prompt of the next one describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub unmet: Vec<String>,
    pub ended: ProcessEnd,
    pub stdout: String,
    pub stderr: String,
    /// The work could not be merged: the conflicting files, with their conflicting parts in `stdout`;
    /// or no files, with the reason in `stdout`. No contract was run.
    pub conflict: Option<Vec<String>>,
}
