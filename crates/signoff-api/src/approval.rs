//! Whose signatures a plan needs, where more is asked for than one of whomever.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine::ApprovalProgress;

/// Who has signed a plan as it is now, and who is waited for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Approval")]
pub struct ApprovalStatus {
    /// How many different people have to sign.
    pub needed: usize,
    /// Whose signatures count; empty = everybody's.
    pub from: Vec<String>,
    /// Who has signed.
    pub signed: Vec<String>,
    /// Who can do so yet; empty where everybody can, or nobody is waited for.
    pub waits_for: Vec<String>,
    /// In words: `1 of 2: waits for Bob`.
    pub summary: String,
}

impl From<&ApprovalProgress> for ApprovalStatus {
    fn from(progress: &ApprovalProgress) -> Self {
        let waits_for = if progress.is_complete() {
            Vec::new()
        } else {
            progress.waits_for.clone()
        };
        Self {
            needed: progress.needed,
            from: progress.named.clone(),
            signed: progress.signed.clone(),
            waits_for,
            summary: progress.to_string(),
        }
    }
}
