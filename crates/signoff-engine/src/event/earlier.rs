//! What an earlier run of the plan knows of a step.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ToolCall;
use crate::evidence::{EvidenceFacts, Grade};

/// What an earlier run of the plan knows of a step: what is needed to keep it, or why it is done again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EarlierStep {
    /// The run that worked on it.
    pub run: String,
    pub ended: EarlierEnd,
    /// Why it is done again; absent = it is kept while its contract holds and what it depends on is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<RedoReason>,
    /// Its values, for conditions and references of other steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdout: Option<String>,
    /// What its agent said last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// The item, where it is a step of a loop. Whether the loop has it again is known once the loop is expanded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item: Option<EarlierItem>,
    /// A call that took place and does harm if it is made twice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ToolCall>,
    /// It does something else now, or calls with other arguments.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_other_work: bool,
}

impl EarlierStep {
    /// A step of a run of which nothing is known any more: this call may have taken place.
    pub fn unknown(run: &str, call: ToolCall) -> Self {
        Self {
            run: run.to_owned(),
            ended: EarlierEnd::Unfinished,
            again: Some(RedoReason::Unfinished),
            output: None,
            stdout: None,
            said: None,
            item: None,
            call: Some(call),
            is_other_work: false,
        }
    }
}

/// How a step ended in an earlier run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum EarlierEnd {
    Completed {
        evidence: Grade,
        facts: Box<EvidenceFacts>,
    },
    Skipped,
    Unfinished,
}

/// An item of a loop, and the hash of what was to be done with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EarlierItem {
    pub value: Value,
    pub request: String,
}

/// Why a step that an earlier run worked on is done again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RedoReason {
    /// It asks for something else now.
    Changed,
    /// A person wants everything done again.
    Everything,
    /// It was not finished.
    Unfinished,
    /// What it changed is not in the checkout: it was taken back, or never landed.
    NotInCheckout,
    /// What it depends on was done again, and it was not.
    Outdated,
    /// A step reads its value now, and the run did not record it.
    ValueUnknown,
    /// A later run did something else in its place.
    Superseded,
}
