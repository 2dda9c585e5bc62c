//! `signoff.event/1`: what happens in a run, as one JSON object per line; and the lines of a journal.
//! Both hold the engine's [`Event`] as it is, and say what surrounds it.
//!
//! Formats change with ceremony: samples of every version are kept in `tests/samples` and read by
//! the tests.

mod names;
mod progress;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
pub use signoff_engine::{
    AcceptAt, Choice, ContractCache, Event, EvidenceFacts, Grade, InboxKind, Isolation, LandAt,
    Outcome, PauseReason, WorkLocation,
};

pub use self::names::{item_kind_name, outcome_name, step_status};
pub use self::progress::{LogEntry, StepProgress, StepResult};
use crate::landing::Landing;
use crate::plan::Plan;

pub const SCHEMA: &str = "signoff.event/1";
pub const JOURNAL_SCHEMA: &str = "signoff.journal/1";

/// One event of a run's stream.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Streamed")]
pub struct StreamedEvent {
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
    /// With events about a step, how far that step is, 0–100: what its agent told last, 100 once it is done. Else the plan's.
    pub progress: u8,
    /// Share of the plan's steps that have ended, 0–100.
    pub plan_progress: u8,
    /// With events about a step: what the toolplan specification's `ProgressEvent` has beside `status` and `progress`.
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

/// The first line of a run's stream, before its events: the plan that it carries out. It is not in the journal, which
/// names the plan by its digest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanCreated {
    pub schema: String,
    pub run: String,
    /// 0: events count from 1.
    pub seq: u64,
    pub at: String,
    #[serde(rename = "type")]
    pub name: PlanCreatedName,
    pub progress: u8,
    pub plan_progress: u8,
    /// As `show --format json` prints it.
    pub plan: Plan,
}

/// The type of [`PlanCreated`] in the stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanCreatedName {
    PlanCreated,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepEnd {
    pub status: String,
    /// The grade.
    pub evidence: Option<Grade>,
    pub facts: Option<EvidenceFacts>,
    pub attempts: u32,
}

/// One line of `journal.jsonl`. `hash` is the sha256 of the line up to `,"hash":`, `prev` the hash
/// of the line before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Journaled")]
pub struct JournalLine {
    pub v: u32,
    pub seq: u64,
    pub at: String,
    #[serde(flatten)]
    pub event: Event,
    pub prev: String,
    pub hash: String,
}
