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
