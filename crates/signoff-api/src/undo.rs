//! `signoff.undo/1`: what of a run was taken back.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.undo/1";

/// What `undo` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Undo {
    pub schema: String,
    pub run: String,
    /// Nothing of it is left to take back.
    pub undone: bool,
    /// Files of the checkout that are as they were before the run.
    pub restored: Vec<String>,
    /// Files of the checkout that the run had made, and that are gone.
    pub deleted: Vec<String>,
    /// The reference that what was there in their places can be found by.
    pub kept: Option<String>,
    /// The git directory that has it, where that is not the project's own.
    #[serde(default)]
    pub kept_in: Option<String>,
    /// It had been taken back before: nothing was done now.
    #[serde(default)]
    pub already: bool,
    /// Worktrees and branches that are gone.
    pub removed: Vec<String>,
    /// Why nothing was taken back, each a sentence.
    pub refused: Vec<String>,
    /// Files that somebody changed since, which stay as they are, each with the reason.
    #[serde(default)]
    pub left: Vec<String>,
}
