//! `signoff.doctor/1`: what this machine can do for a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.doctor/1";

/// What `doctor` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doctor {
    pub schema: String,
    pub sandbox: Sandbox,
    /// Whether runs of this project can have worktrees; `null` outside of a project.
    #[serde(default)]
    pub worktrees: Option<Worktrees>,
}

/// Whether agents can work side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Worktrees {
    pub possible: bool,
    /// What is in the way.
    pub why: Vec<String>,
}

/// How agents and contracts are confined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// `off`, `auto` or `required`.
    pub mode: String,
    /// What runs get: `namespaces`, `bubblewrap`, `landlock` or `none`.
    pub level: String,
    /// Whether they may talk to others.
    pub network: bool,
    /// Every level, the strongest first.
    pub levels: Vec<Level>,
}

/// One level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "it is the level's name")]
pub struct Level {
    pub level: String,
    pub state: State,
    /// Why it does not work, where that was tried.
    pub why: Option<String>,
    /// What it enforces.
    pub enforces: String,
}

/// What is known of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// It was tried with a command that breaks the rules, and used.
    Works,
    Fails,
    /// A stronger one works, or nothing is to be confined.
    NotTried,
}
