//! Everything that can happen in a run. The journal holds these, in their wire form
//! (`signoff_api::event`), and nothing else changes the state.

use serde_json::Value;

use crate::Millis;
use crate::evidence::{Facts, Grade};
use crate::input::Choice;
use crate::verdict::{Observation, ProcessEnd, Verdict};

/// An event with its place in the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    pub seq: u64,
    pub at: Millis,
    pub event: Event,
}

/// One thing that happened. Steps are named by id, so that a journal can be read on its own.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    RunStarted {
        run: String,
        plan: String,
        /// The plan\'s file, relative to the workspace where it lies inside.
        path: String,
        digest: String,
        terms: String,
        settings: Settings,
    },
    /// The run goes on after a pause, a crash, or (`reopened`) a failure.
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
        conflicts: Vec<String>,
        /// Those of the files that the person deleted.
        deleted: Vec<String>,
    },
    /// The files of the run's head were written to the checkout.
    FilesLanded {
        commit: String,
        files: Vec<String>,
        /// Files that could not be written, each with the reason.
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
    /// `base`: the commit that the step's own worktree begins with, if it has one.
    BaselineStarted {
        step: String,
        base: Option<String>,
    },
    BaselineFinished {
        step: String,
        verdict: Verdict,
        observed: Observation,
    },
    /// `base` as in [`Event::BaselineStarted`].
    AttemptStarted {
        step: String,
        attempt: u32,
        base: Option<String>,
    },
    /// Seed 002's `WorkItem`: what is handed to the agent.
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
    /// The agent's process tree is gone. `text` is what it said, which is never judged.
    WorkFinished {
        step: String,
        attempt: u32,
        ended: ProcessEnd,
        text: String,
        changes: Changes,
    },
    /// A tool is about to be called with these arguments.
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
        wall_ms: Option<Millis>,
    },
    BudgetSpent {
        step: String,
        attempt: u32,
        wall_ms: Millis,
    },
    BudgetExceeded {
        step: String,
        question: String,
    },
    /// The harness died, or was `stopped` by a person, while the agent worked.
    AttemptInterrupted {
        step: String,
        attempt: u32,
        stopped: bool,
    },
    /// `again`: at the end, because the tree is another one than at its verdict.
    ContractStarted {
        step: String,
        attempt: u32,
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
    /// `counted`: the attempt before used up one of the step's retries.
    RetryScheduled {
        step: String,
        not_before: Millis,
        counted: bool,
        reason: String,
    },
    StepCompleted {
        step: String,
        attempts: u32,
        evidence: Grade,
        facts: Facts,
    },
    /// The contract of a completed step, which had reused what earlier ones built, holds without that on the last tree.
    StepConfirmed {
        step: String,
        evidence: Grade,
        facts: Facts,
    },
    /// Its agent is done and it has no contract: dependents go on, and a person decides at the end.
    StepProvisional {
        step: String,
        attempts: u32,
    },
    StepFailed {
        step: String,
        attempts: u32,
        reason: String,
    },
    /// `satisfies`: dependents may go on as if it had completed.
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
        /// All that it is about, where it is about several; `step` is the first of them.
        steps: Vec<String>,
        question: String,
        choices: Vec<Choice>,
        /// Answers that the plan offers; with none, any text is one.
        options: Vec<String>,
    },
    InboxAnswered {
        item: String,
        step: String,
        /// Those of the item's steps that the answer is about, where the item is about several.
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
    /// The run's commits are about to be brought into the checkout, whose head they become.
    LandingStarted {
        commit: String,
        by: String,
    },
    RunLanded {
        commit: String,
        by: String,
    },
    /// Its worktrees and its branch are removed, or the checkout is as it was before it.
    RunUndone {
        by: String,
    },
}

impl Event {
    /// The step this event is about, if it is about one.
    pub fn step(&self) -> Option<&str> {
        match self {
            Self::RunStarted { .. }
            | Self::RunResumed { .. }
            | Self::PlanReplanned { .. }
            | Self::PauseRequested { .. }
            | Self::RunPaused { .. }
            | Self::TreePrepared { .. }
            | Self::CheckoutJoined { .. }
            | Self::FilesLanded { .. }
            | Self::LandingStarted { .. }
            | Self::RunLanded { .. }
            | Self::RunUndone { .. }
            | Self::RunFinished { .. } => None,
            Self::StepStarted { step }
            | Self::ConditionHeld { step }
            | Self::Expanded { step, .. }
            | Self::BaselineStarted { step, .. }
            | Self::CandidateStarted { step, .. }
            | Self::CandidateBuilt { step, .. }
            | Self::MergeConflicted { step, .. }
            | Self::MergeStarted { step, .. }
            | Self::Merged { step, .. }
            | Self::BaselineFinished { step, .. }
            | Self::AttemptStarted { step, .. }
            | Self::WorkItem { step, .. }
            | Self::ProcessStarted { step, .. }
            | Self::WorkFinished { step, .. }
            | Self::CallStarted { step, .. }
            | Self::CallFinished { step, .. }
            | Self::BudgetReserved { step, .. }
            | Self::BudgetSpent { step, .. }
            | Self::BudgetExceeded { step, .. }
            | Self::AttemptInterrupted { step, .. }
            | Self::ContractStarted { step, .. }
            | Self::ContractFinished { step, .. }
            | Self::RetryScheduled { step, .. }
            | Self::StepCompleted { step, .. }
            | Self::StepConfirmed { step, .. }
            | Self::StepProvisional { step, .. }
            | Self::StepFailed { step, .. }
            | Self::StepSkipped { step, .. }
            | Self::StepBlocked { step, .. }
            | Self::StepWaiting { step, .. }
            | Self::StepRetried { step, .. }
            | Self::InboxOpened { step, .. }
            | Self::InboxAnswered { step, .. } => Some(step),
        }
    }

    /// Must this be on disk before anything else happens? True where an effect outside the harness
    /// follows, or a person was told that it counts; losing any other event costs one more
    /// evaluation and never a wrong answer.
    pub fn reaches_outside(&self) -> bool {
        matches!(
            self,
            Self::RunStarted { .. }
                | Self::RunResumed { .. }
                | Self::PlanReplanned { .. }
                | Self::WorkItem { .. }
                | Self::ProcessStarted { .. }
                | Self::CallStarted { .. }
                | Self::TreePrepared { .. }
                | Self::MergeStarted { .. }
                | Self::LandingStarted { .. }
                | Self::RunLanded { .. }
                | Self::RunUndone { .. }
                | Self::StepRetried { .. }
                | Self::InboxAnswered { .. }
                | Self::RunPaused { .. }
                | Self::RunFinished { .. }
        )
    }
}

/// What the engine needs to know of the configuration, fixed when the run starts and whenever it goes
/// on under another version of its plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// First pause before a retry; it doubles from there.
    pub backoff: Millis,
    /// Contracts run once before the work unless a step says no.
    pub baseline: bool,
    /// What becomes of an agent step whose contract holds before the work.
    pub green: Green,
    /// When a person is asked about agent steps that have no contract.
    pub accept: Accept,
    /// Steps that may be under way at once.
    pub jobs: usize,
    /// Confinement really enforced, for the evidence.
    pub sandbox: String,
    /// Which tree the run works on.
    pub isolation: Isolation,
    /// When what it did comes into the checkout.
    pub land: Land,
    /// Whether contracts find what earlier ones built.
    pub cache: Cache,
}

/// Whether contracts find what earlier contracts of the run built in ignored directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Cache {
    /// None does.
    #[default]
    Cold,
    /// All do, until they are run once more without it at the end. Nothing lands before.
    Warm,
}

/// When what a run did comes into the checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Land {
    /// The files of each step as soon as it has passed.
    Step,
    /// All of it when the run has completed.
    #[default]
    End,
}

/// Which tree a run works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Isolation {
    /// The checkout itself, where nothing can be mounted. Agents work one after another.
    #[default]
    Shared,
    /// A tree of its own, with a layer for each agent; a queue brings their work together.
    Worktree,
}

/// The tree that a run works on, as git knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunTree {
    /// The checkout's commit when the run started, if there was one.
    pub base: Option<String>,
    /// The commit that holds the checkout as it was then, with what was not committed.
    pub start: String,
    /// The run's branch; none in place.
    pub branch: Option<String>,
    /// The branch that the checkout was on, `HEAD` if it was on none; older versions did not note it.
    pub checkout: Option<String>,
    /// Its commits are in a repository of the harness's own, because the project has none that could hold them.
    pub private: bool,
    /// Work is kept in layers; runs of older versions had a worktree for each agent.
    pub layers: bool,
}

/// What the run's tree will be if a step's contract holds on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub commit: String,
    pub tree: String,
    /// The head that it was built on.
    pub onto: String,
    /// What it changes there.
    pub files: Vec<String>,
    /// What their names do not tell.
    // Seldom there: elsewhere it costs a pointer.
    pub details: Box<ChangeDetails>,
}

/// What becomes of an agent step whose contract holds before the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Green {
    /// Its agent works all the same.
    Run,
    /// It is skipped.
    Skip,
    /// A person decides.
    Ask,
}

/// When a person is asked whether agent steps without a contract are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accept {
    /// Once, at the end, about all of them; until then their dependents go on provisionally.
    End,
    /// At each step, before its dependents start.
    Step,
}

/// Seed 002's unit of dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkItem {
    pub agent_id: String,
    pub kind: WorkKind,
    /// What the agent is told; only the beginning where it is long.
    pub prompt: String,
    /// `sha256` of the exact prompt, which is kept beside the journal.
    pub prompt_sha256: String,
    pub subscriptions: Vec<String>,
    pub plan_id: String,
    pub number: usize,
}

/// Seed 002's `CODE | REVIEW`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkKind {
    Code,
    Review,
}

/// Identity of a process that cannot be confused with a later one of the same number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    pub pid: u32,
    pub starttime: u64,
    pub boot_id: String,
}

/// What a tool is called with.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub tool: String,
    /// Every reference in them resolved.
    pub args: Value,
    /// Making it twice does no harm.
    pub repeatable: bool,
    /// It may change the tree.
    pub changes_tree: bool,
}

/// What the harness saw of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEnd {
    Done(Value),
    /// `transient`: it may go better the next time (no connection, time limit, a busy server).
    Failed {
        message: String,
        transient: bool,
        /// It was cut off, and may have taken place.
        unknown: bool,
    },
}

/// What changed in the tree while a step's work was under way, as far as it was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Changes {
    /// Paths; `None` = nobody looked.
    pub files: Option<Vec<String>>,
    /// Those that the step protects.
    pub protected: Vec<String>,
    /// What their names do not tell.
    // Seldom there: elsewhere it costs a pointer.
    pub details: Box<ChangeDetails>,
}

/// What is worth knowing of changed files beyond their names. Each list holds some of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ChangeDetails {
    /// Symbolic links that lead out of the tree: what is read through them is not versioned.
    pub links_out: Vec<String>,
    /// Files that Python loads in the place of a module that was there before, and compiled ones.
    pub hides: Vec<String>,
    /// New files that are Python modules with the name of one of Python's own, of a runner's or of an installed one.
    pub new_modules: Vec<String>,
    /// Those of them that do not lie in a package: where Python is started there, it loads them.
    pub loose_modules: Vec<String>,
    /// Links that differ, and links that lead to something that differs: another name for it.
    pub links: Vec<LinkEnd>,
    /// New files that configure a runner by their names.
    pub added: Vec<String>,
    /// Those of them that lie where no runner could be started before.
    pub apart: Vec<String>,
    /// Manifests that differ in what says which tests there are.
    pub selects: Vec<String>,
}

/// A symbolic link that leads to something inside of the tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinkEnd {
    pub link: String,
    /// What it leads to in the end, by a path without links; empty = the root.
    pub end: String,
}

/// Why a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// The step's policy is exhausted.
    Escalation,
    /// An agent step without a contract: only a person can say that it is done.
    Acceptance,
    /// The plan's budget does not allow another agent.
    Budget,
    /// The plan wants a person's leave before the step's work.
    Approval,
    /// An `ask` step: the plan asks a person something.
    Question,
    /// A call whose end nobody saw: only a person can find out whether it happened.
    UnknownCall,
    /// Somebody wants another version of the plan before the step goes on.
    Revision,
}

/// Why a run stands still although it is not finished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PauseReason {
    /// Everything that is left waits on a person.
    Waiting,
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// The plan or its terms are no longer what was signed.
    Changed,
    /// A person asked for it.
    Requested,
    /// It was to go only so far (`--until`, `--only`).
    Limited,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Completed,
    /// Only steps that are `critical: no` failed.
    Partial,
    Failed,
}
