//! What the index keeps of one place. Fields that say nothing are left out of the file: ten
//! thousand of them are read at each list.

use serde::{Deserialize, Serialize};
use signoff_api::approval::ApprovalStatus;

use super::StampHash;

/// What was found in one place, and the state of its files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexEntry {
    /// The state of everything that was read.
    pub seen: StampHash,
    /// It has to be read next time whatever its files look like.
    #[serde(default, skip_serializing_if = "is_default")]
    pub again: bool,
    /// The file that the log names, for a plan that is kept elsewhere in the project.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The plan; `None` where there is none, or none any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<PlanRow>,
    /// What its log adds up to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub tally: PlanCounts,
}

/// One plan of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanRow {
    /// Its id, else its path.
    pub key: String,
    pub title: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
    /// When something last happened to it, in milliseconds; `None` for one without a log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<u64>,
    /// When its file was written, as far as that can be told.
    pub written: u64,
    /// How the signature over its present digests is known to be a person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// Whose signatures it needs, if that is more than one of anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalStatus>,
    /// The run that decided its state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// Tools that it asks for and that nothing here provides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<String>,
    /// The state that its file claims, if no known run led to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_says: Option<String>,
    /// How many questions of its run nobody has answered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub questions: usize,
    /// The log names another file, which exists.
    #[serde(default, skip_serializing_if = "is_default")]
    pub double: bool,
    /// It lies in the archive, and its log does not say so yet.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unlogged_move: bool,
}

impl PlanRow {
    /// When it last changed.
    pub fn updated_at(&self) -> u64 {
        self.active.unwrap_or(self.written)
    }
}

/// How often things happened to one plan.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlanCounts {
    /// Handed in, first texts and new ones.
    #[serde(skip_serializing_if = "is_default")]
    pub proposals: u64,
    #[serde(skip_serializing_if = "is_default")]
    pub approvals: u64,
    #[serde(skip_serializing_if = "is_default")]
    pub rejections: u64,
    #[serde(skip_serializing_if = "is_default")]
    pub completed: u64,
    #[serde(skip_serializing_if = "is_default")]
    pub failed: u64,
    /// Milliseconds from each text to its signature.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub waits: Vec<u64>,
    /// When it waited too long and was cancelled for that; 0 = it was not, or that was taken back.
    #[serde(skip_serializing_if = "is_default")]
    pub expired: u64,
    /// When it was moved to the archive; 0 = it was not, or that was taken back.
    #[serde(skip_serializing_if = "is_default")]
    pub archived: u64,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
