//! How we know that a step is done, and what qualifies it.

use serde::{Deserialize, Serialize};

/// How we know that a step is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub grade: Grade,
    pub facts: EvidenceFacts,
}

/// The grade of evidence of a completed step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Grade {
    /// The contract failed before the work and holds after it.
    Proved,
    /// The contract holds after the work; it was not seen to fail before.
    Held,
    /// The harness called a tool and saw its result.
    Observed,
    /// A person accepted it, by name.
    Accepted,
}

/// What qualifies a grade. We claim no more than was enforced.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Facts")
)]
pub struct EvidenceFacts {
    /// Confinement really enforced.
    pub sandbox: String,
    /// The file said "done" before our journal knew of it.
    pub claimed: bool,
    /// The harness died while the agent worked; the contract was run on what it left.
    pub interrupted: bool,
    /// The agent did not end well (crash, time limit, non-zero exit), yet the contract went red → green.
    pub agent_failed: bool,
    /// A person repaired the step by hand after an escalation.
    pub repaired_by: Option<String>,
    /// A person accepted the step.
    pub accepted_by: Option<String>,
    /// A person changed the arguments that its tool was called with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_by: Option<String>,
    /// Files changed in this step that the contract reads or that configure its runner.
    #[serde(
        rename = "judge_changed",
        default,
        skip_serializing_if = "Vec::is_empty"
    )]
    pub changed_inputs: Vec<String>,
    /// The work changed nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub no_change: bool,
    /// Tests that ran before and after the work, read from output: a hint, never the proof.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tests: Option<TestTotals>,
    /// Files that its contract changed when it ran; they were thrown away with its layer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contract_writes: Vec<String>,
    /// The git tree that the verdict was made on, or the last one known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The commit that it was merged as.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Why a contract that holds does not prove the step; empty where it does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_proved: Vec<String>,
    /// The earlier run of the plan that did the work, where it was kept from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_from: Option<String>,
    /// How the tree was shown to the contract: `overlay`, `copy` or `shared`; absent = not recorded.
    #[serde(rename = "room", default, skip_serializing_if = "Option::is_none")]
    pub overlay_mode: Option<String>,
    /// The machine that ran the contract, where several share a run: its name, its key, and the digest of its own terms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_on: Option<Box<str>>,
    /// The agent kept its own sandbox inside ours.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_sandbox: bool,
    /// What its agents used in all attempts, as far as they reported it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spent: Option<AgentSpending>,
    /// What its reviewer said, once it is asked. It changes no grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice: Option<ReviewAdvice>,
}

/// What a model said about the work of a step that was done already.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReviewAdvice {
    /// Who was asked.
    pub by: String,
    pub remarks: Vec<Remark>,
    /// Why it said nothing that can be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub none: Option<String>,
}

/// What the agents of a step used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AgentSpending {
    /// Tokens in and out, without those read from a cache.
    pub tokens: u64,
    /// The known part of the cost in millionths of a US dollar; absent = unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usd_e6: Option<u64>,
    /// The cost of some of it is unknown.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_partial: bool,
}

/// Numbers of tests that ran, as far as the output told them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "TestsSeen")
)]
pub struct TestTotals {
    pub before: Option<u64>,
    pub after: Option<u64>,
}

/// Something that a model says about the work of a step. No verdict: a model that reads work can be talked into anything by
/// that work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Remark {
    /// The file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    pub severity: RemarkSeverity,
    pub text: String,
}

/// How much a remark weighs, as the model says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RemarkSeverity {
    /// Worth knowing.
    Minor,
    /// Should be changed.
    Major,
    /// Should not be relied on.
    Blocking,
}

impl RemarkSeverity {
    pub fn name(self) -> &'static str {
        match self {
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Blocking => "blocking",
        }
    }
}
