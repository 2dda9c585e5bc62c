//! `signoff.pruned/1`: what was deleted for good.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.pruned/1";

/// What `prune` deleted, or would delete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pruned {
    pub schema: String,
    /// Nothing was deleted.
    pub dry_run: bool,
    pub older_than_days: u64,
    /// Of everything in `removed`.
    pub bytes: u64,
    pub removed: Vec<RemovedItem>,
    /// What was due and stays.
    pub kept: Vec<KeptPath>,
}

/// One file, directory or name in the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Removed")]
pub struct RemovedItem {
    pub kind: RemovedKind,
    /// The plan it belonged to; of a run, the run.
    pub id: String,
    pub path: String,
    pub bytes: u64,
}

/// What it was.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Kind")]
pub enum RemovedKind {
    Plan,
    Artifacts,
    Log,
    Signatures,
    Run,
    /// Worktrees of a run.
    Worktrees,
    /// Names that a run had in the repository; `path` is the name.
    Refs,
    Lock,
}

/// Something that stays, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Kept")]
pub struct KeptPath {
    pub path: String,
    pub why: String,
}
