//! What `doctor` says about agents.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The agents that this version has drivers for, and the configured roles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Agents")]
pub struct AgentsReport {
    /// In order of preference.
    pub known: Vec<KnownAgent>,
    pub roles: Vec<RoleReport>,
}

/// An agent that has a driver of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnownAgent {
    /// Its driver.
    pub name: String,
    /// Where its program is; `null` if it is not installed.
    pub path: Option<String>,
    /// `null` if it did not tell.
    pub version: Option<String>,
    pub login: Login,
    /// The file (`~/…`) or the variable (`$NAME`) that is the login; its content is not looked at.
    pub login_by: Option<String>,
    /// The command that installs it.
    pub install: String,
    /// The configured roles that use it.
    pub roles: Vec<String>,
    /// Files of the home that it is given a copy of.
    pub files: Vec<String>,
    /// Hooks of its settings that it is not given, a sentence for each: their scripts are not in the sandbox.
    #[serde(default)]
    pub dropped_hooks: Vec<String>,
    pub problems: Vec<AgentProblem>,
}

/// A configured role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Role")]
pub struct RoleReport {
    pub role: String,
    pub driver: String,
    /// The configured command; empty if the driver's own program is meant.
    pub command: Vec<String>,
    pub model: Option<String>,
    /// `fresh` or `continue`.
    pub retry_session: String,
    /// Where its program is; `null` if it is missing, and then no plan with this role runs.
    pub path: Option<String>,
    pub problems: Vec<AgentProblem>,
}

/// Something that is in the way, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentProblem {
    pub what: String,
    pub fix: String,
}

/// Whether a login is there. Whether the service takes it only a request would tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Login {
    Found,
    Missing,
    /// It is not known what this agent logs in with.
    Unknown,
}
