//! `signoff.request/1`: what one process asks of the one that drives a run, and its reply.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine::PlanDraft;

use crate::event::Choice;

pub const SCHEMA: &str = "signoff.request/1";

/// A request in the run's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Request {
    pub schema: String,
    /// Who asks.
    pub by: String,
    pub ask: RequestKind,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Ask")]
pub enum RequestKind {
    /// Nothing new starts; what is under way ends and is judged.
    Pause,
    /// Agents are ended; the run can be resumed.
    Stop,
    /// Agents are ended; the run has failed.
    Abort,
    SkipStep {
        step: String,
    },
    RetryStep {
        step: String,
        hint: Option<String>,
    },
    /// A planner drafts another version of the plan.
    Replan {
        because: String,
        #[serde(default)]
        discoveries: Vec<String>,
        /// Only steps that stand for others are to be written out.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        expands: bool,
    },
    /// A new version of the plan, kept in the run's directory: a person signs the difference, or refuses it.
    HandIn {
        draft: Box<PlanDraft>,
        because: String,
    },
    Answer {
        item: String,
        steps: Vec<String>,
        choice: Choice,
        note: Option<String>,
    },
}

/// What became of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Why it was refused; nothing if it was done.
    pub refused: Option<String>,
}
