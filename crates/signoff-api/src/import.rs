//! `signoff.import/1`: a draft made from another tool's plan, as `import --format json` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_plan::import;

use crate::diagnostics::Diagnostic;

pub const SCHEMA: &str = "signoff.import/1";

/// The draft, what is not in it, and what is still open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Imported {
    pub schema: String,
    /// The format it was read as: `plan-mode`, `spec-kit`, `kiro`, `openspec`, `task-master`, `beads` or `github`.
    pub from: String,
    /// By which sign the format was recognised.
    pub sign: String,
    /// How many steps the draft has.
    pub steps: usize,
    /// Where it was written; `null` if it was not.
    pub path: Option<String>,
    /// The draft; `null` if it was written to disk.
    pub text: Option<String>,
    /// Everything in the source that is not in the draft.
    pub losses: Vec<ImportLoss>,
    /// How something was understood that could have been meant otherwise.
    pub notes: Vec<String>,
    /// What `verify` says about the draft.
    pub diagnostics: Vec<Diagnostic>,
    /// What the planner proposed, with `--plan`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ContractProposal>,
}

/// Contracts that a planner proposed for steps without one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContractProposal {
    /// The role or the provider that was asked.
    pub agent: String,
    /// The model, if it is known.
    pub model: Option<String>,
    /// Tokens of all rounds, if they are counted.
    pub tokens: Option<u64>,
    /// Micro-dollars of all rounds, if the cost is known.
    pub usd_e6: Option<u64>,
    pub contracts: Vec<ProposedContract>,
}

/// What was proposed for a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProposedContract {
    pub step: String,
    /// `null`: the planner knows of no command that shows it.
    pub command: Option<String>,
    /// How the command shows that the work is done, or why none does, as the planner says.
    pub why: String,
}

/// Something of the source that is not in the draft.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportLoss {
    pub file: String,
    /// From 1; `null` where it stands in no line of its own.
    pub line: Option<usize>,
    /// What it is, in the words of the source.
    pub field: String,
    pub value: String,
    pub why: String,
}

impl From<&import::ImportLoss> for ImportLoss {
    fn from(loss: &import::ImportLoss) -> Self {
        Self {
            file: loss.file.clone(),
            line: loss.line,
            field: loss.field.clone(),
            value: loss.value.clone(),
            why: loss.why.clone(),
        }
    }
}
