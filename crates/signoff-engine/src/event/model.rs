//! What a model is asked in a run, and what it says. Nothing of it counts before the engine has checked it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ModelUsage;
use crate::evidence::Remark;

/// What a model is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ModelTask {
    /// A new version of the plan.
    Replan,
    /// How a step that failed goes on.
    Recovery,
    /// Which role does a step that names none.
    Role,
    /// What there is to say about the work of a step that is done.
    Review,
}

impl ModelTask {
    /// As journals write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Replan => "replan",
            Self::Recovery => "recovery",
            Self::Role => "role",
            Self::Review => "review",
        }
    }
}

/// What a model said, as far as it could be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum ModelAnswer {
    /// A new version of the plan, kept in the run's directory.
    Draft(PlanDraft),
    Recovery(RecoveryDecision),
    Role(RoleDecision),
    /// Advice about work. It decides nothing.
    Review(Vec<Remark>),
    /// Nothing that could be used, for this reason.
    Nothing(String),
}

impl ModelAnswer {
    /// In a few words.
    pub fn summary(&self) -> String {
        match self {
            Self::Draft(draft) => {
                let count = draft.changes.len();
                let plural = if count == 1 { "" } else { "s" };
                format!("`{}` with {count} change{plural}", draft.plan)
            }
            Self::Recovery(decision) => format!("{}: {}", decision.name(), decision.reason()),
            Self::Role(RoleDecision::Select { role, reason }) => format!("{role}: {reason}"),
            Self::Role(RoleDecision::Continue { .. }) => "continue".to_owned(),
            Self::Role(RoleDecision::Complete { .. }) => "complete".to_owned(),
            Self::Role(RoleDecision::Retry { .. }) => "retry".to_owned(),
            Self::Review(remarks) if remarks.len() == 1 => "1 remark".to_owned(),
            Self::Review(remarks) => format!("{} remarks", remarks.len()),
            Self::Nothing(why) => format!("nothing: {why}"),
        }
    }
}

/// A new version of the plan that nobody has signed yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanDraft {
    /// Its key: a plan of its own.
    pub plan: String,
    /// Where its file will be; relative if it is inside the workspace.
    pub path: String,
    /// The file in the run's directory that holds its text.
    pub snapshot: String,
    pub digest: String,
    /// What is different, one change per line, as the harness sees it.
    pub changes: Vec<String>,
    /// Why, as the model says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// It only leaves out: steps that have not begun, tools, budget.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub narrows: bool,
    /// Who wrote it, if not a planner that the run asked: `person` or `agent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
}

/// What models used for a plan while it was not carried out: for its draft, its revisions and its reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanningUsage {
    /// Who was asked: a role or a provider.
    pub by: String,
    pub usage: Vec<ModelUsage>,
}

/// How a step that failed goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RecoveryDecision {
    /// One more attempt; a tool is called with these arguments, where they are given.
    Retry {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        args: Option<Value>,
        reason: String,
    },
    /// Go on without it, if it is not critical.
    Skip { reason: String },
    /// The plan needs other steps: it is replanned.
    InsertSteps { reason: String },
    /// The step has failed.
    Abort { reason: String },
}

impl RecoveryDecision {
    /// Why.
    pub fn reason(&self) -> &str {
        match self {
            Self::Retry { reason, .. }
            | Self::Skip { reason }
            | Self::InsertSteps { reason }
            | Self::Abort { reason } => reason,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Self::Retry { .. } => "retry",
            Self::Skip { .. } => "skip",
            Self::InsertSteps { .. } => "insert steps",
            Self::Abort { .. } => "abort",
        }
    }
}

/// Who does a step that names no role. Only `select` changes anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "action", rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RoleDecision {
    Select {
        role: String,
        reason: String,
    },
    /// As the configuration says.
    Continue {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The model thinks that the task is done. Only contracts decide that.
    Complete {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    /// The same role as before.
    Retry {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
}
