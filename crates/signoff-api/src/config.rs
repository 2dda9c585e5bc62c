//! `signoff.config/1`: the settings in force, and where each came from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub const SCHEMA: &str = "signoff.config/1";

/// What `config` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    pub schema: String,
    /// The user's own file, whether it exists or not; `null` without a home.
    pub user: Option<String>,
    /// The project's file, whether it exists or not; `null` outside a project.
    pub project: Option<String>,
    pub trust: TrustState,
    /// All settings, or those that were asked for.
    pub settings: Vec<Setting>,
    /// What is written somewhere and has no effect.
    pub notes: Vec<String>,
}

/// Whether the commands of the project's file may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "Trust")]
pub enum TrustState {
    /// It names none, or there is none.
    NotNeeded,
    /// A person has let them run, as the file is now.
    Given,
    /// Nobody has; `signoff trust` does.
    Missing,
}

/// One setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// `section.key`, `agents.NAME`, or `mcp.servers.NAME`.
    pub key: String,
    pub value: Value,
    /// `built-in`, `user`, `pi`, `project` or `environment`.
    pub origin: String,
    /// The file it is written in.
    pub file: Option<String>,
    /// From 1.
    pub line: Option<usize>,
    /// The environment variable that sets it.
    pub variable: Option<String>,
}
