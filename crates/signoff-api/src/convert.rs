//! `signoff.convert/1`: a plan in another dialect, as `convert --format json` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_plan::write;

pub const SCHEMA: &str = "signoff.convert/1";

/// What was written, and what the dialect cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Converted {
    pub schema: String,
    /// Dialect it was read from.
    pub from: String,
    /// Dialect it was written in.
    pub to: String,
    /// Digest of the plan that was read.
    pub digest: String,
    /// Digest of what was written: the same, unless something that a signature covers was lost.
    pub new_digest: String,
    pub losses: Vec<Loss>,
    pub files: Vec<File>,
}

/// Something that the dialect cannot hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Loss {
    /// Id of the step; `null` is the plan itself.
    pub step: Option<String>,
    pub field: String,
    pub why: String,
}

/// A file of the new plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// Where it is, or what it is called within a thread; `null` for the only file of a plan that
    /// was not written to disk.
    pub path: Option<String>,
    /// What is in it; `null` if it was written to disk.
    pub text: Option<String>,
}

impl From<&write::Loss> for Loss {
    fn from(loss: &write::Loss) -> Self {
        Self {
            step: loss.step.clone(),
            field: loss.field.clone(),
            why: loss.why.clone(),
        }
    }
}
