//! Everything that can happen in a run. These types are the format of the journal and of the event
//! stream, and nothing else changes the state.
//!
//! Formats change with ceremony: `signoff-api/tests/samples` holds what every version wrote, and its
//! tests read all of it.

mod earlier;
mod inbox;
mod model;
mod outcome;
mod scope;
mod settings;
mod type_first;
mod work;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::earlier::{EarlierEnd, EarlierItem, EarlierStep, RedoReason};
pub use self::inbox::{Choice, InboxKind};
pub use self::model::{
    ModelAnswer, ModelTask, PlanDraft, PlanningUsage, RecoveryDecision, RoleDecision,
};
pub use self::outcome::{Outcome, PauseReason};
pub use self::scope::SyncTime;
pub use self::settings::{AcceptAt, ContractCache, Isolation, LandAt, OnGreenBaseline, Settings};
pub use self::work::{
    AgentOutput, AgentReport, BudgetLimit, CallEnd, ModelUsage, PricedBy, ProcessIdentity,
    ToolCall, WorkInput, WorkItem, WorkKind, WorkPayload,
};
use crate::Millis;
pub use crate::changes::{
    Candidate, ChangeDetails, Changes, Displaced, LinkEnd, NamedFile, NamedSettings, RunTree,
    SearchedFile,
};
use crate::evidence::{EvidenceFacts, Grade};
use crate::verdict::{Observation, ProcessEnd, Verdict};

/// An event with its place in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    pub seq: u64,
    pub at: Millis,
    pub event: Event,
}

/// One thing that happened. Steps are named by id, so that a journal can be read on its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(tag = "type"))]
// What is derived is not used by itself: see `type_first`.
#[serde(remote = "Event", rename_all = "snake_case")]
pub enum Event {
    RunStarted {
        // Not `run`: in the stream, a member of that name stands beside the event.
        #[serde(rename = "run_id")]
        run: String,
        plan: String,
        /// The plan's file, relative to the workspace where it lies inside.
        path: String,
        digest: String,
        terms: String,
        settings: Settings,
    },
    /// The run goes on after a pause, a crash, or (`reopened`) a failure.
    RunResumed {
        reopened: bool,
        by: String,
        /// Steps that go on: other machines work on them, and only the driving process has changed.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        elsewhere: Vec<String>,
    },
    /// The run goes on under another version of the plan, which somebody signed.
    PlanReplanned {
        digest: String,
        terms: String,
        /// The file in the run's directory that holds this version.
        snapshot: String,
        /// The settings that were signed with it.
        settings: Settings,
        /// Steps that stay finished, by their present ids.
        kept: Vec<String>,
        /// Steps that had begun and start over.
        reset: Vec<String>,
        /// The plan's key and its file, where this version is a plan of its own.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        plan: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        path: Option<String>,
    },
    /// What models used for the plan before the run, or before it took up this version. It counts like what they use in
    /// the run.
    PlanningSpent {
        planning: Vec<PlanningUsage>,
    },
    /// A new version of the plan is wanted, because of this step. Nothing new starts until it is signed or given up.
    ReplanRequested {
        step: String,
        because: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        discoveries: Vec<String>,
        /// A person, or `policy`.
        by: String,
        /// The step has failed and waits for the new version.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        holds: bool,
        /// Only steps that stand for others are to be written out.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        expands: bool,
    },
    /// Somebody handed in a new version of the plan while it is carried out. Nothing new starts until a person has signed or
    /// refused it.
    VersionHandedIn {
        step: String,
        // Boxed: most events are small.
        draft: Box<PlanDraft>,
        because: String,
        by: String,
    },
    /// There is no new version, or a person refused it: the run goes on under the plan that it has.
    ReplanDropped {
        step: String,
        reason: String,
    },
    /// A step failed, and a model is to decide within the plan's policy how it goes on.
    RecoveryRequested {
        step: String,
        because: String,
    },
    /// A model is about to be asked.
    ModelAsked {
        step: String,
        task: ModelTask,
    },
    ModelAnswered {
        step: String,
        task: ModelTask,
        // Boxed: most events are small.
        answer: Box<ModelAnswer>,
        /// Why the harness does not follow it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        refused: Option<String>,
        /// Who was asked: a role or a provider.
        by: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        usage: Vec<ModelUsage>,
    },
    /// What an earlier run of the plan knows of a step, said once when the run starts.
    EarlierStep {
        step: String,
        earlier: Box<EarlierStep>,
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
        items: Vec<Value>,
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
        observed: Observation,
    },
    AttemptStarted {
        step: String,
        attempt: u32,
        /// The commit that the step's own worktree begins with, if it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base: Option<String>,
    },
    /// What is handed to the agent.
    WorkItem {
        step: String,
        attempt: u32,
        item: WorkItem,
    },
    ProcessStarted {
        step: String,
        attempt: u32,
        process: ProcessIdentity,
    },
    /// All processes of the agent have ended.
    WorkFinished {
        step: String,
        attempt: u32,
        ended: ProcessEnd,
        /// What the agent said last; never judged.
        output: AgentOutput,
        /// What changed meanwhile.
        #[serde(default)]
        changes: Changes,
        /// What the agent reported of itself; absent where its driver reads nothing.
        // Boxed: most events are small.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<Box<AgentReport>>,
    },
    /// A tool is about to be called.
    CallStarted {
        step: String,
        attempt: u32,
        call: ToolCall,
    },
    CallFinished {
        step: String,
        attempt: u32,
        end: CallEnd,
    },
    /// An agent at work is about to have the harness call a tool of a server.
    AgentCallStarted {
        step: String,
        attempt: u32,
        /// Counts the calls of the attempt, from 1.
        number: u32,
        call: ToolCall,
    },
    AgentCallFinished {
        step: String,
        attempt: u32,
        number: u32,
        end: CallEnd,
    },
    /// What the agent about to start may use of the budget.
    BudgetReserved {
        step: String,
        attempt: u32,
        agents: u64,
        wall_ms: Option<Millis>,
        /// How many tokens it is expected to use, where they are limited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens: Option<u64>,
        /// What it is expected to cost in millionths of a dollar, where that is limited.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usd_e6: Option<u64>,
    },
    BudgetSpent {
        step: String,
        attempt: u32,
        wall_ms: Millis,
        /// Absent where the agent reported none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tokens: Option<u64>,
        /// The known part of the cost in millionths of a dollar; absent = unknown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usd_e6: Option<u64>,
    },
    BudgetExceeded {
        step: String,
        question: String,
        /// What `allow` extends; absent in old journals, where it extends both plan and step.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<BudgetLimit>,
    },
    /// The harness died, or a person stopped it, while the agent worked.
    AttemptInterrupted {
        step: String,
        attempt: u32,
        /// By a person.
        stopped: bool,
        /// What the agent had reported until then.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        report: Option<Box<AgentReport>>,
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
        observed: Observation,
    },
    /// The step's turn in the merge queue: its work is put on top of what was merged before.
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
        #[serde(rename = "not_before_ms")]
        not_before: Millis,
        /// The attempt before used up one of the step's retries.
        counted: bool,
        reason: String,
    },
    StepCompleted {
        step: String,
        attempts: u32,
        evidence: Grade,
        facts: EvidenceFacts,
    },
    /// A completed step's contract held with what earlier contracts built; it also holds without that on the last tree.
    StepConfirmed {
        step: String,
        evidence: Grade,
        facts: EvidenceFacts,
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
        /// Dependents may go on as if it had completed.
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
        kind: InboxKind,
        step: String,
        /// All that it is about, where it is about several; `step` is the first of them.
        // Not `steps`: in the stream, a member of that name says how each step ended.
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
        // Not `steps`: in the stream, a member of that name says how each step ended.
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
    /// Another run holds a lock that the step names.
    LockAwaited {
        step: String,
        lock: String,
        /// As in "run 20261115-093012-k3f9".
        held_by: String,
    },
    /// No other run holds it any more.
    LockFreed {
        lock: String,
    },
    /// All runs together have cost what a day allows: no agent is started and no model asked before the next day.
    DayLimitReached {
        /// What they have cost, as far as it is known, in millionths of a dollar.
        spent_usd_e6: u64,
        limit_usd_e6: u64,
        /// When the next day begins.
        until_ms: Millis,
    },
    /// Nothing new starts; what is under way ends and is judged.
    PauseRequested {
        reason: PauseReason,
        by: String,
    },
    RunPaused {
        reason: PauseReason,
        /// What the harness's trouble was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        trouble: Option<String>,
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
