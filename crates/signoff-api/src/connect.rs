//! `signoff.connect/1`: what `connect` wrote into an agent's files.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.connect/1";

/// What `connect` did, or with `--dry-run` would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Connection {
    pub schema: String,
    /// `claude`, `codex`, `gemini`, `opencode` or `pi`.
    pub agent: String,
    pub scope: Scope,
    /// Our entries were taken out, not put in.
    pub undo: bool,
    /// Nothing was written.
    pub dry_run: bool,
    pub files: Vec<ConnectedFile>,
    /// What a person still has to do or to know, each a sentence.
    pub next: Vec<String>,
}

/// Whose settings were changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ConnectScope")]
pub enum Scope {
    /// Those of the person, for all projects.
    User,
    /// Those of the project.
    Project,
}

/// One file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ConnectedFile {
    /// Absolute. The file itself, if a link leads to it.
    pub path: String,
    pub action: FileAction,
    /// The lines that differ, as a unified difference.
    pub difference: String,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileAction {
    Created,
    Changed,
    /// It is as it should be already.
    Unchanged,
    /// It is as it was before `connect`, byte for byte.
    Restored,
    Removed,
    /// Somebody changed it since `connect` wrote it, and nothing in it can be told to be ours.
    Left,
}
