//! Decides. A run is a pure state machine: [`due`] says what may happen now, [`decide`] turns what
//! happened into events, [`apply`] is the only thing that changes the state.
//!
//! No files, processes, clock or randomness: time comes in with each input, so replaying a journal
//! gives the same state, byte for byte. Start reading at [`due`], then [`decide`].

#![warn(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::wildcard_enum_match_arm,
    reason = "this crate is pure: no clock, no files, no processes"
)]

mod apply;
mod arguments;
mod backoff;
mod budget;
mod changes;
mod contract_inputs;
mod decide;
mod due;
mod event;
mod evidence;
mod input;
mod lifecycle;
mod recovery;
mod rerun;
mod roles;
mod state;
mod template;
mod tests_run;
mod unsupported;
mod verdict;

pub use apply::apply;
pub use arguments::resolved_arguments;
pub use budget::{LiveUsage, OverBudget, agents_over_budget, wall_left};
pub use contract_inputs::{
    ChangedInputs, JudgingText, RunnerFile, TreeChange, called_files, called_scripts,
    change_details, changed_inputs, endings_to_query, names_of, note_judging_texts, paths_to_query,
    runner_files, searched_endings, sets_search,
};
pub use decide::{Refusal, decide, is_asked_for};
pub use due::{Action, Bounds, due, goes_on_by_itself, is_due_when_resumed};
pub use event::{
    AcceptAt, AgentOutput, AgentReport, BudgetLimit, CallEnd, Candidate, ChangeDetails, Changes,
    Choice, ContractCache, Displaced, EarlierEnd, EarlierItem, EarlierStep, Event, InboxKind,
    Isolation, LandAt, LinkEnd, ModelAnswer, ModelTask, ModelUsage, NamedFile, NamedSettings,
    OnGreenBaseline, Outcome, PauseReason, PlanDraft, PlanningUsage, PricedBy, ProcessIdentity,
    RecordedEvent, RecoveryDecision, RedoReason, RoleDecision, RunTree, SearchedFile, Settings,
    SyncTime, ToolCall, WorkInput, WorkItem, WorkKind, WorkPayload,
};
pub use evidence::{
    AgentSpending, Evidence, EvidenceFacts, Grade, Remark, RemarkSeverity, ReviewAdvice, TestTotals,
};
pub use input::{
    AgentReports, CheckoutChanges, FinishedWork, Input, MergeConflict, NextPlan, RunStart,
};
pub use lifecycle::{
    Actor, ApprovalProgress, ApprovalRule, Approver, ForbiddenTransition, ImpossibleRule,
    NotCounted, PlanFact, PlanFlags, PlanState, RunFact, Signer, Transition, derive, may_clone,
    may_delete, may_resubmit_expired, must_escalate, possible_transitions, state_after,
    state_after_signing_again,
};
pub use rerun::{
    Redo, RunReason, StepForecast, add_older_calls, earlier_steps, forecast, knows_every_call,
};
pub use roles::fitting_roles;
pub use state::{
    Activation, Advice, Allocation, Answered, AttemptState, Baseline, BudgetAmount, ChosenRole,
    ContractRuns, Cost, CutOffAttempts, DayLimit, Failure, History, InboxItem, LoopItem, MadeCall,
    Replan, ReplanStage, Run, Stage, StepOutcome, StepState, StepStatus, StepUsage, TokenUsage,
    UsageSums, WorkLocation, dollars_text, tokens_text, work_failure,
};
pub use tests_run::{ContractRunners, GO_PACKAGES, SEVERAL, Summary, TestCount, tests_run};
pub use unsupported::{Unsupported, unsupported};
pub use verdict::{
    HARNESS_NOTE, Missing, Observation, ProcessEnd, SHARED, TestsRun, Verdict, contract_verdict,
};

/// Milliseconds since the Unix epoch. The engine never reads a clock; this comes in from outside.
pub type Millis = u64;
