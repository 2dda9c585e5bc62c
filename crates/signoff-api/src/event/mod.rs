//! `signoff.event/1`: what happens in a run, as one JSON object per line; and the same events as the
//! journal holds them.
//!
//! Formats change with ceremony: samples of every version are kept in `tests/samples` and read by
//! the tests.

mod convert;
mod parts;
mod progress;
mod tree;

use std::collections::BTreeMap;

pub use parts::{
    Accept, Cache, Call, CallEnd, ChangeDetails, Changes, Choice, Ended, Facts, Grade, Green,
    Isolation, ItemKind, Land, Observed, Outcome, PauseReason, Process, Seat, Settings, TestsRun,
    TestsSeen, Verdict, WorkInput, WorkItem, WorkKind, WorkPayload, item_kind_name, outcome_name,
    step_status,
};
pub use progress::{LogEntry, StepProgress, StepResult};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use tree::{Candidate, RunTree};

use crate::landing::Landing;

pub const SCHEMA: &str = "signoff.event/1";
pub const JOURNAL_SCHEMA: &str = "signoff.journal/1";

/// One event of a run's stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Streamed {
    pub schema: String,
    pub run: String,
    pub seq: u64,
    /// RFC 3339, UTC, milliseconds.
    pub at: String,
    #[serde(flatten)]
    pub event: Event,
    /// Status of the step after this event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// Share of the steps that have ended, 0–100.
    pub progress: u8,
    /// With events about a step: what seed 001's `ProgressEvent` has beside `status` and `progress`.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub of_step: Option<StepProgress>,
    /// With `run_finished`: how every step ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<BTreeMap<String, StepEnd>>,
    /// With `run_finished`, as `run` prints it, of a run that worked in worktrees and completed: whether what it did is
    /// in the checkout, or why not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub landing: Option<Landing>,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepEnd {
    pub status: String,
    /// The grade.
    pub evidence: Option<Grade>,
    pub facts: Option<Facts>,
    pub attempts: u32,
}

/// One line of `journal.jsonl`. `hash` is the sha256 of the line up to `,"hash":`, `prev` the hash
/// of the line before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Journaled {
    pub v: u32,
    pub seq: u64,
    pub at: String,
    #[serde(flatten)]
    pub event: Event,
    pub prev: String,
    pub hash: String,
}

/// The events of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    RunStarted {
        // Not `run`: in the stream that stands outside of the event already.
        #[serde(rename = "run_id")]
        run: String,
        plan: String,
        /// The plan\'s file, relative to the workspace where it lies inside.
        path: String,
        digest: String,
        terms: String,
        settings: Settings,
    },
    RunResumed {
        reopened: bool,
        by: String,
    },
    /// The run goes on under another version of the plan, which somebody signed.
    PlanReplanned {
        digest: String,
        terms: String,
        /// The file in the run's directory that holds this version.
        snapshot: String,
        /// As the configuration is that was signed with it.
        settings: Settings,
        /// Steps that stay finished, by their present ids.
        kept: Vec<String>,
        /// Steps that had begun and start over.
        reset: Vec<String>,
    },
    /// The tree that the run works on is ready.
    TreePrepared {
        tree: RunTree,
    },
    /// What a person changed in the checkout has become part of the run's tree, as this commit.
    CheckoutJoined {
        commit: String,
        tree: String,
        files: Vec<String>,
        /// Files that a person and the run changed differently: each keeps its own.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        conflicts: Vec<String>,
        /// Those of the files that the person deleted.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        deleted: Vec<String>,
    },
    /// Files of the run's head were written to the checkout.
    FilesLanded {
        commit: String,
        files: Vec<String>,
        /// Files that could not be written, each with the reason.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        held: Vec<String>,
    },
    StepStarted {
        step: String,
    },
    /// The step's condition (`when`) holds.
    ConditionHeld {
        step: String,
    },
    /// A loop becomes its items, once.
    Expanded {
        step: String,
        items: Vec<serde_json::Value>,
    },
    BaselineStarted {
        step: String,
        /// The commit that the step's own worktree begins with, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
    },
    BaselineFinished {
        step: String,
        verdict: Verdict,
        observed: Observed,
    },
    AttemptStarted {
        step: String,
        attempt: u32,
        /// The commit that the step's own worktree begins with, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
    },
    WorkItem {
        step: String,
        attempt: u32,
        item: WorkItem,
    },
    ProcessStarted {
        step: String,
        attempt: u32,
        process: Process,
    },
    WorkFinished {
        step: String,
        attempt: u32,
        ended: Ended,
        /// What the agent said last; never judged.
        output: Output,
        /// What changed meanwhile.
        #[serde(default)]
        changes: Changes,
    },
    /// A tool is about to be called.
    CallStarted {
        step: String,
        attempt: u32,
        call: Call,
    },
    CallFinished {
        step: String,
        attempt: u32,
        end: CallEnd,
    },
    /// What the agent about to start may use of the budget.
    BudgetReserved {
        step: String,
        attempt: u32,
        agents: u64,
        wall_ms: Option<u64>,
    },
    BudgetSpent {
        step: String,
        attempt: u32,
        wall_ms: u64,
    },
    BudgetExceeded {
        step: String,
        question: String,
    },
    AttemptInterrupted {
        step: String,
        attempt: u32,
        stopped: bool,
    },
    ContractStarted {
        step: String,
        attempt: u32,
        /// At the end, because the tree is another one than at its verdict.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        again: bool,
    },
    ContractFinished {
        step: String,
        attempt: u32,
        verdict: Verdict,
        unmet: Vec<String>,
        observed: Observed,
    },
    /// The step's turn in the merge queue.
    CandidateStarted {
        step: String,
        attempt: u32,
    },
    /// What the tree will be if the contract holds on it.
    CandidateBuilt {
        step: String,
        attempt: u32,
        candidate: Candidate,
    },
    /// The work cannot be put on top of what was merged before.
    MergeConflicted {
        step: String,
        attempt: u32,
        /// Where the branch stood.
        onto: String,
        files: Vec<String>,
        /// The conflicting parts, or what else is in the way.
        text: String,
    },
    /// The candidate is about to become the head of the run's branch.
    MergeStarted {
        step: String,
        attempt: u32,
        commit: String,
    },
    /// It is the head.
    Merged {
        step: String,
        attempt: u32,
        commit: String,
        tree: String,
    },
    RetryScheduled {
        step: String,
        not_before_ms: u64,
        counted: bool,
        reason: String,
    },
    StepCompleted {
        step: String,
        attempts: u32,
        evidence: Grade,
        facts: Facts,
    },
    /// Its contract had held with what earlier ones built, and holds without that on the last tree.
    StepConfirmed {
        step: String,
        evidence: Grade,
        facts: Facts,
    },
    /// Its agent is done and it has no contract: dependents go on, a person decides at the end.
    StepProvisional {
        step: String,
        attempts: u32,
    },
    StepFailed {
        step: String,
        attempts: u32,
        reason: String,
    },
    StepSkipped {
        step: String,
        reason: String,
        satisfies: bool,
    },
    StepBlocked {
        step: String,
        by: String,
    },
    StepWaiting {
        step: String,
        item: String,
    },
    InboxOpened {
        item: String,
        kind: ItemKind,
        step: String,
        /// All that it is about, where it is about several.
        // Not `steps`: in the stream that tells how all of them ended.
        #[serde(
            rename = "about",
            alias = "steps",
            default,
            skip_serializing_if = "Vec::is_empty"
        )]
        steps: Vec<String>,
        question: String,
        choices: Vec<Choice>,
        /// Answers that the plan offers; with none, any text is one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<String>,
    },
    InboxAnswered {
        item: String,
        step: String,
        /// Those that the answer is about, where the item is about several.
        // Not `steps`: in the stream that tells how all of them ended.
        #[serde(
            rename = "about",
            alias = "steps",
            default,
            skip_serializing_if = "Vec::is_empty"
        )]
        steps: Vec<String>,
        choice: Choice,
        note: Option<String>,
        by: String,
    },
    /// A person lets a failed or waiting step be tried once more.
    StepRetried {
        step: String,
        hint: Option<String>,
        by: String,
    },
    /// Nothing new starts; what is under way ends and is judged.
    PauseRequested {
        reason: PauseReason,
        by: String,
    },
    RunPaused {
        reason: PauseReason,
    },
    RunFinished {
        outcome: Outcome,
    },
    /// The run's commits are about to be brought into the checkout.
    LandingStarted {
        commit: String,
        by: String,
    },
    RunLanded {
        commit: String,
        by: String,
    },
    /// What the run did is taken back.
    RunUndone {
        by: String,
    },
}

/// Seed 002's `output.text`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Output {
    pub text: String,
}
