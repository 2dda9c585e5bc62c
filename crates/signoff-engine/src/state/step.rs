//! What the harness knows of one step.

use std::collections::BTreeSet;

use serde_json::Value;
use signoff_plan::expression::StepValues;

use super::attempt::AttemptState;
use super::contract::{Baseline, ContractRuns};
use super::stage::{Stage, StepStatus};
use crate::Millis;
use crate::event::{Changes, Choice};
use crate::evidence::{Facts, Grade};
use crate::verdict::{ProcessEnd, Verdict, is_repeated};

/// What the harness knows of one step.
///
/// What begins and ends together is one value: a new attempt is a new [`AttemptState`], a step that is
/// taken up again has a new [`Turn`]. Nothing is reset field by field.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepState {
    pub status: StepStatus,
    pub stage: Stage,
    /// Dependencies named and not yet satisfied; of a loop under way, its items.
    pub waits_for: usize,
    /// Dependents count this step as done.
    pub satisfies: bool,
    /// It is among those that progress counts.
    pub counted: bool,
    /// Which item of which loop it is.
    pub item: Option<LoopItem>,
    /// What it gave for conditions and references to read.
    pub values: StepValues,
    pub turn: Turn,
    /// Attempts begun so far; numbers are never used twice.
    pub attempts: u32,
    pub attempt: AttemptState,
    /// What the run has given it to work with.
    pub occupies: Occupied,
    pub baseline: Baseline,
    pub contract: ContractRuns,
    /// What the step changed since it began, as far as it was looked at; in worktrees, what its
    /// candidate changes.
    pub changes: Changes,
    pub cut_off: CutOffAttempts,
    /// What the next prompt says about the attempts before.
    pub advice: Advice,
    pub outcome: StepOutcome,
    pub history: History,
}

impl StepState {
    /// Position of the loop that it is an item of.
    pub fn parent(&self) -> Option<usize> {
        self.item.as_ref().map(|item| item.parent)
    }

    /// Is its contract run again because something changed in the checkout while it ran?
    pub fn is_run_again(&self) -> bool {
        self.attempt.void > 0 && is_repeated(self.attempt.void)
    }

    /// How its agent ended, if that was not well and nothing else shows that the work was done.
    pub(crate) fn ended_badly(&self) -> Option<&ProcessEnd> {
        let proved = self.baseline.verdict == Some(Verdict::Fail);
        let ended = self.attempt.work_ended.as_ref();
        ended.filter(|ended| !ended.succeeded() && !proved)
    }

    /// How long it took from its beginning to its end, with all the waiting in between.
    pub fn took(&self) -> Option<Millis> {
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
}

/// What is known of a step since it was last taken up: at its beginning, or when a person let it be
/// tried again after it had ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// Its condition was found to hold.
    pub condition_held: bool,
    /// A person gave leave to start its work.
    pub approved: bool,
    /// Arguments that a person put in the place of the plan's.
    pub args: Option<Value>,
    /// An answer whose consequence has not been recorded yet.
    pub answered: Option<(Choice, String)>,
    /// Attempts that used up a retry.
    pub failures: u32,
    /// Agents started since a person last granted more.
    pub agents: u64,
    /// Times the harness died or was stopped while the agent worked.
    pub interruptions: u32,
    pub not_before: Millis,
    /// The commit that its own worktree began with; none = it is to begin with the head.
    pub base: Option<String>,
    /// The commit whose content its own worktree began with, where the attempt before was put on a
    /// newer base.
    pub carried: Option<String>,
}

/// What the run has given a step to work with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Occupied {
    #[default]
    Nothing,
    /// One of the places for work. A step that a person's answer takes up again has to wait for one.
    Place,
    /// A place, and the run's tree until the step is merged or given up.
    Queue,
}

impl Occupied {
    pub fn has_place(self) -> bool {
        self >= Self::Place
    }

    pub fn has_queue(self) -> bool {
        self == Self::Queue
    }

    pub(crate) fn take_place(&mut self) {
        *self = (*self).max(Self::Place);
    }

    pub(crate) fn leave_queue(&mut self) {
        *self = (*self).min(Self::Place);
    }
}

/// Attempts of a step that were cut off.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CutOffAttempts {
    /// No later attempt goes on from what these did.
    pub numbers: BTreeSet<u32>,
    /// The first of its last attempts of which nobody saw what they changed.
    pub unseen_since: Option<u32>,
}

/// What the next prompt says about the attempts before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Advice {
    /// How the attempt before failed.
    pub failure: Option<Failure>,
    /// What a person advises.
    pub hint: Option<String>,
}

/// How a step ended, and how we know.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StepOutcome {
    pub evidence: Option<(Grade, Facts)>,
    /// Why it failed, was skipped or is blocked.
    pub reason: Option<String>,
    /// It is completed by an evaluation that reused what an earlier one had built, and its contract
    /// has not held without since.
    pub unconfirmed: bool,
    /// Its contract held, and no longer did at the end.
    pub regressed: bool,
    /// It was done under an earlier version of the plan, and does not fall with what it waits for.
    pub kept: bool,
}

/// What stays known of a step whatever becomes of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct History {
    /// When the step began; 0 = it has not.
    pub began_at: Millis,
    /// When it last ended; 0 = it has not.
    pub ended_at: Millis,
    /// It ended before and was taken up again.
    pub ended_before: bool,
    /// What its agent said last; shown to people, never judged.
    pub said: Option<String>,
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
