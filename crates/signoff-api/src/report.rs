//! `signoff.report/1`: what a run did and how we know, as `report --format json` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::plan::{Contract, Work};
use crate::run::Run;
use crate::usage::AgentUsage;

pub const SCHEMA: &str = "signoff.report/1";

/// One run with everything that its verdicts rest on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    pub schema: String,
    /// When this was written, in UTC.
    pub at: String,
    /// As `status` prints it.
    pub run: Run,
    /// The signatures that it went on under, oldest first.
    pub signatures: Vec<ReportedSignature>,
    /// In plan order, as in `run`.
    pub steps: Vec<ReportedStep>,
    /// What people answered, oldest first.
    pub answers: Vec<ReportedAnswer>,
    /// What models were asked in the run, and what it cost to plan before, oldest first.
    #[serde(default)]
    pub models: Vec<ReportedModel>,
    /// Commands that verify it again.
    pub verify: Vec<String>,
}

/// A signature over a version that was carried out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedSignature {
    pub by: String,
    pub at: String,
    /// How it is known that a person gave it.
    pub proof: String,
    pub digest: String,
    pub terms: String,
    pub note: Option<String>,
    /// Whose SSH key, where the proof is one.
    pub principal: Option<String>,
}

/// A step: what it was to do, and each attempt at it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedStep {
    pub id: String,
    pub number: usize,
    pub depends_on: Vec<String>,
    pub work: Work,
    pub contract: Option<Contract>,
    /// The contract before the work.
    pub baseline: Option<ContractRun>,
    pub attempts: Vec<ReportedAttempt>,
    /// Times at which it waited on a person.
    pub waits: Vec<TimeSpan>,
}

/// One try at a step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedAttempt {
    pub number: u32,
    pub started_at: String,
    /// When the work itself ended.
    pub worked_until: Option<String>,
    /// When it was judged, or cut off.
    pub ended_at: Option<String>,
    /// The role of its agent.
    pub agent: Option<String>,
    pub model: Option<String>,
    /// How the agent or the call ended, such as `exit code 0`.
    pub ended: Option<String>,
    /// The agent's last words; nobody judges by them.
    pub said: Option<String>,
    /// Paths that it changed, as far as that was recorded.
    pub changed: Vec<String>,
    /// The contract after the work.
    pub contract: Option<ContractRun>,
    /// Why it did not count, if it did not.
    pub failed: Option<String>,
    pub usage: Option<AgentUsage>,
}

/// One run of a contract.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContractRun {
    /// `pass`, `fail` or `inconclusive`.
    pub verdict: String,
    pub at: String,
    pub duration_ms: u64,
    /// Such as `exit code 1`.
    pub ended: String,
    /// The conditions that did not hold.
    pub unmet: Vec<String>,
    pub stdout: String,
    pub stderr: String,
    /// Its middle was not kept.
    pub cut: bool,
}

/// From when to when; open while it lasts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Span")]
pub struct TimeSpan {
    pub from: String,
    pub to: Option<String>,
}

/// A model that was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedModel {
    /// `planning` before the run, else `replan`, `recovery` or `role`.
    pub task: String,
    /// The step that it was about.
    pub step: Option<String>,
    /// A role or a provider.
    pub by: String,
    /// What it said, in words.
    pub answer: Option<String>,
    /// Why that was not followed.
    pub refused: Option<String>,
    pub usage: Option<AgentUsage>,
    pub at: String,
}

/// What a person answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReportedAnswer {
    pub step: String,
    pub question: String,
    pub choice: String,
    pub note: Option<String>,
    pub by: String,
    pub at: String,
}
