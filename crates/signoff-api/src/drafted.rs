//! `signoff.drafted/1`: a plan that a model drafted, as `plan --format json` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::diagnostics::Diagnostic;
use crate::question::Question;

pub const SCHEMA: &str = "signoff.drafted/1";

/// What drafting came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drafted {
    pub schema: String,
    pub outcome: DraftOutcome,
    /// Why there is no answer to the last question, if there is none.
    pub failure: Option<String>,
    /// The role whose agent drafted.
    pub agent: String,
    /// The model, if it is known.
    pub model: Option<String>,
    /// Tokens of all rounds, if the agent counts them.
    pub tokens: Option<u64>,
    /// Micro-dollars of all rounds, if the cost is known.
    pub usd_e6: Option<u64>,
    pub rounds: Vec<DraftRound>,
    /// The plan; `null` if no answer held one.
    pub plan: Option<DraftedPlan>,
    /// What the planner asks the person before it plans, if that waits in the inbox.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<WaitingPlanning>,
}

/// A request for a plan that waits for answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitingPlanning {
    /// As `plan --continue` takes it.
    pub id: String,
    /// The questions that nobody has answered yet; `answer` takes their ids.
    pub questions: Vec<Question>,
}

/// How drafting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DraftOutcome {
    /// With a plan that can be signed.
    Verified,
    /// At the bound, with problems left.
    Unfinished,
    /// Without an answer.
    Failed,
    /// Not yet: the person is asked first.
    Waiting,
}

/// One question and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftRound {
    /// From 1.
    pub number: u32,
    pub tokens: Option<u64>,
    /// What was sent back, in words.
    pub problems: Vec<String>,
}

/// A drafted plan on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DraftedPlan {
    /// What to type for it.
    pub name: String,
    pub path: String,
    pub dialect: String,
    pub digest: String,
    /// Why it is as it is, where the model says so beside the plan.
    pub reasoning: Option<String>,
    pub diagnostics: Vec<Diagnostic>,
}
