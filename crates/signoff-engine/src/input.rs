//! What the outside reports to the engine. No input that an agent can produce carries a verdict.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::{
    AgentReport, CallEnd, Candidate, Changes, Choice, EarlierStep, ModelAnswer, ModelTask,
    ModelUsage, PauseReason, PlanDraft, PlanningUsage, ProcessIdentity, RunTree, Settings,
    ToolCall, WorkItem,
};
use crate::state::DayLimit;
use crate::verdict::{Observation, ProcessEnd};

/// One thing that happened outside.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Start(RunStart),
    /// The harness is back after a pause or a crash.
    Resume {
        by: String,
        /// What agents that a crash cut off had reported.
        reports: AgentReports,
    },
    /// Another process of several machines goes on with the run; what other machines do goes on there.
    TakeOver {
        by: String,
        /// The steps that are under way on other machines.
        elsewhere: Vec<String>,
    },
    /// Calls that were made and that the journal has lost.
    LostCalls(Vec<(String, EarlierStep)>),
    /// A person lets a failed run go on from its last passing contract.
    Reopen {
        by: String,
    },
    /// The run is to go on under the plan that was [offered](crate::Run::offer_plan).
    Replan {
        /// The file that holds it.
        snapshot: String,
        settings: Settings,
        /// Its key and its file, where it is a plan of its own.
        plan: Option<NextPlan>,
        /// What models had used for this version.
        planning: Vec<PlanningUsage>,
    },
    /// A new version of the plan, that is written already and that a person may sign.
    HandInVersion {
        draft: Box<PlanDraft>,
        because: String,
        by: String,
    },
    /// A person wants another version of the plan.
    RequestReplan {
        because: String,
        discoveries: Vec<String>,
        by: String,
        /// Only steps that stand for others are to be written out.
        expands: bool,
    },
    /// A model is about to be asked.
    ModelBegins {
        step: usize,
        task: ModelTask,
    },
    ModelEnded {
        step: usize,
        task: ModelTask,
        answer: ModelAnswer,
        /// Who was asked.
        by: String,
        usage: Vec<ModelUsage>,
    },
    /// The drafted version is a plan of its own now.
    DraftOffered {
        /// The policy has signed it.
        is_signed: bool,
    },
    /// The tree that the run works on is ready.
    TreePrepared {
        tree: RunTree,
    },
    /// What a person changed in the checkout was merged into the run's tree.
    CheckoutJoined(CheckoutChanges),
    /// Files of the head were written to the checkout.
    FilesLanded {
        commit: String,
        files: Vec<String>,
        held: Vec<String>,
    },
    BaselineBegins {
        step: usize,
    },
    BaselineEnded {
        step: usize,
        observed: Observation,
    },
    WorkBegins {
        step: usize,
        attempt: u32,
        item: WorkItem,
        /// The commit that it begins with, where that is newer than what the attempt before began with.
        base: Option<String>,
    },
    ProcessHeld {
        step: usize,
        attempt: u32,
        process: ProcessIdentity,
    },
    WorkEnded {
        step: usize,
        attempt: u32,
        work: FinishedWork,
    },
    /// The agent at work asks whether it may use a tool, and waits.
    PermissionAsked {
        step: usize,
        attempt: u32,
        /// What it wants to do, in one line.
        what: String,
    },
    /// The agent at work has the harness call a tool of a server.
    AgentCallBegins {
        step: usize,
        attempt: u32,
        number: u32,
        call: ToolCall,
    },
    AgentCallEnded {
        step: usize,
        attempt: u32,
        number: u32,
        end: CallEnd,
    },
    /// The tool cannot be called with these arguments, for these reasons.
    CallImpossible {
        step: usize,
        problems: Vec<String>,
    },
    /// A person must agree to this call, and has not.
    CallNeedsApproval {
        step: usize,
        args: Value,
        why: String,
    },
    CallBegins {
        step: usize,
        attempt: u32,
        call: ToolCall,
    },
    CallEnded {
        step: usize,
        attempt: u32,
        end: CallEnd,
    },
    /// The call was journaled and could not be made.
    CallNotMade {
        step: usize,
        attempt: u32,
    },
    EvaluationBegins {
        step: usize,
        attempt: u32,
    },
    EvaluationEnded {
        step: usize,
        attempt: u32,
        observed: Observation,
    },
    CandidateBegins {
        step: usize,
        attempt: u32,
    },
    CandidateBuilt {
        step: usize,
        attempt: u32,
        candidate: Candidate,
    },
    /// The step's work cannot be merged: it conflicts, or it is nothing that may be merged.
    Conflicted {
        step: usize,
        attempt: u32,
        conflict: MergeConflict,
    },
    /// The step's work holds what this harness cannot merge.
    MergeRefused {
        step: usize,
        attempt: u32,
        /// The head that it was to be merged onto.
        onto: String,
        why: String,
    },
    MergeBegins {
        step: usize,
        attempt: u32,
    },
    Merged {
        step: usize,
        attempt: u32,
        commit: String,
        tree: String,
    },
    Answer {
        item: String,
        /// Which of the item's steps; none named = all of them.
        steps: Vec<String>,
        choice: Choice,
        note: Option<String>,
        by: String,
    },
    /// A person takes a step out of the run; dependents may go on.
    SkipStep {
        step: String,
        by: String,
    },
    /// A person lets a step that failed or waits be tried once more.
    RetryStep {
        step: String,
        hint: Option<String>,
        by: String,
    },
    /// What comes before the step's work and needs no process: its condition, its items, an approval,
    /// its question.
    Gate {
        step: usize,
    },
    /// The budget does not allow the agent that this step needs now.
    OverBudget {
        step: usize,
    },
    /// Only steps are left that a person must accept.
    AskForAcceptance,
    /// All items of a loop have ended.
    Gather {
        step: usize,
    },
    /// Another run holds a lock that this step needs now.
    LockTaken {
        step: usize,
        lock: String,
        by: String,
    },
    /// A lock that another run held is free.
    LockFree {
        lock: String,
    },
    /// All runs together have cost what a day allows.
    DayLimit(DayLimit),
    /// Nothing new is to start.
    Pause {
        reason: PauseReason,
        by: String,
    },
    /// Nothing is left that could be done now.
    Park {
        reason: PauseReason,
    },
    /// Ctrl-C, or trouble of the harness itself: agents have been ended.
    Stop {
        trouble: Option<String>,
        reports: AgentReports,
    },
    /// A person gives the run up; agents have been ended.
    Abort {
        by: String,
        reports: AgentReports,
    },
    /// Every step has ended.
    Finish,
    /// A person, or the harness after a run that completed, brings its commits into the checkout.
    LandingBegins {
        commit: String,
        by: String,
    },
    Landed {
        commit: String,
        by: String,
    },
    /// A person takes back what the run did.
    Undo {
        by: String,
    },
}

/// What agents that were cut off had reported, by the positions of their steps.
pub type AgentReports = BTreeMap<usize, AgentReport>;

/// What a run starts with.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStart {
    pub run: String,
    pub plan: String,
    /// The plan's file; relative if it is inside the workspace.
    pub path: String,
    pub digest: String,
    pub terms: String,
    pub settings: Settings,
    /// What the last run of the plan knows of its steps, by id.
    pub earlier: Vec<(String, EarlierStep)>,
    /// What models had used for the plan, and no earlier run has counted.
    pub planning: Vec<PlanningUsage>,
}

/// The plan that a run goes on under.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NextPlan {
    pub key: String,
    /// Its file; relative if it is inside the workspace.
    pub path: String,
}

/// A person's changes in the checkout, as a commit on top of the run's head.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckoutChanges {
    pub commit: String,
    pub tree: String,
    pub files: Vec<String>,
    /// Files that the person and the run changed differently. Neither side overwrites the other.
    pub conflicts: Vec<String>,
    /// Those of the files that the person deleted.
    pub deleted: Vec<String>,
}

/// How an agent's work ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FinishedWork {
    pub ended: ProcessEnd,
    /// What the agent said last.
    pub text: String,
    pub changes: Changes,
    /// What the agent reported of itself.
    pub report: Option<Box<AgentReport>>,
}

/// Why a step's work cannot be merged.
#[derive(Debug, Clone, PartialEq)]
pub struct MergeConflict {
    /// The head that it was to be merged onto.
    pub onto: String,
    /// The conflicting files; none if it is refused for another reason.
    pub files: Vec<String>,
    /// The conflicting parts, or the reason.
    pub text: String,
}
