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
mod decide;
mod due;
mod event;
mod evidence;
mod input;
mod judge;
mod lifecycle;
mod recovery;
mod state;
mod template;
mod tests_run;
mod unsupported;
mod verdict;

pub use apply::apply;
pub use arguments::resolved as resolved_arguments;
pub use budget::wall_left;
pub use decide::{Refusal, decide};
pub use due::{Action, Bounds, due};
pub use event::{
    Accept, Cache, Call, CallEnd, Candidate, ChangeDetails, Changes, Choice, Event, Green,
    Isolation, ItemKind, Land, LinkEnd, Outcome, Output, PauseReason, Process, Recorded, RunTree,
    Settings, WorkInput, WorkItem, WorkKind, WorkPayload,
};
pub use evidence::{Facts, Grade, TestsSeen};
pub use input::Input;
pub use judge::{JudgeChanged, TreeChange, asked_before, change_details, judge_changed, names_of};
pub use lifecycle::{
    Act, Actor, Fact, Forbidden, Known, KnownRun, PlanState, after, after_signing_anew, derive,
    escalates, may_clone, may_delete, possible,
};
pub use state::{
    Advice, AttemptState, Baseline, ContractRuns, CutOffAttempts, Failure, History, Item, LoopItem,
    Occupied, Run, Seat, Stage, StepOutcome, StepState, StepStatus, Turn,
};
pub use tests_run::{ContractRunners, GO_PACKAGES, SEVERAL, Summary, TestCount, tests_run};
pub use unsupported::{Unsupported, unsupported};
pub use verdict::{Observation, ProcessEnd, SHARED, TestsRun, Verdict, baseline_verdict, judge};

/// Milliseconds since the Unix epoch. The engine never reads a clock; this comes in from outside.
pub type Millis = u64;
