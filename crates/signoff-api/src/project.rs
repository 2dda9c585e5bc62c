//! `signoff.init/1` and `signoff.trust/1`: what was set up in a project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const INIT_SCHEMA: &str = "signoff.init/1";
pub const TRUST_SCHEMA: &str = "signoff.trust/1";

/// What `init` made and found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Init {
    pub schema: String,
    pub root: String,
    /// Files written by this call; none if the project was set up already.
    pub written: Vec<String>,
    /// Agents found on PATH, for which this version has no driver of its own.
    pub found_agents: Vec<String>,
    /// `not_installed`, `no_repository`, `clean` or `uncommitted`, `.signoff` itself left out.
    pub git: String,
    /// What is enforced on agents and contracts.
    pub sandbox: String,
}

/// A configuration whose commands may run from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trust {
    pub schema: String,
    pub path: String,
    pub sha256: String,
}
