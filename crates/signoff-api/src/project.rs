//! `signoff.init/1` and `signoff.trust/1`: what was set up in a project.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::doctor::Login;

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
    /// Agents found on PATH.
    pub found_agents: Vec<String>,
    /// The same with what is known of them; the first one is what the roles are written for.
    #[serde(default)]
    pub agents: Vec<FoundAgent>,
    /// `not_installed`, `no_repository`, `clean` or `uncommitted`, `.signoff` itself left out.
    pub git: String,
    /// What is enforced on agents and contracts.
    pub sandbox: String,
    /// Commands for `[run] prepare`, as the lockfiles suggest.
    #[serde(default)]
    pub prepare: Vec<String>,
    /// Entries of PATH inside the project, where contracts and agents are not looked for.
    #[serde(default)]
    pub path_dropped: Vec<String>,
}

/// An agent on PATH.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FoundAgent {
    /// Its driver.
    pub name: String,
    pub path: String,
    /// `null` if it did not tell.
    pub version: Option<String>,
    pub login: Login,
    /// The file (`~/…`) or the variable (`$NAME`) that is the login.
    pub login_by: Option<String>,
}

/// A configuration whose commands may run from now on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Trust {
    pub schema: String,
    /// The configuration; `null` where there is none.
    pub path: Option<String>,
    pub sha256: Option<String>,
    /// The project's id, which signatures name.
    #[serde(default)]
    pub project: Option<String>,
    /// Files of the project that commands run, with their content as it is trusted.
    #[serde(default)]
    pub helpers: Vec<TrustedFile>,
    /// What commands name and trust does not cover: directories, and data that changes.
    #[serde(default)]
    pub not_covered: Vec<String>,
}

/// A file of the project that a command runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrustedFile {
    /// From the project's root.
    pub path: String,
    pub sha256: String,
}
