//! `signoff.guard_scope/1`: the tools that a step's agent may use. The harness writes it into a file that the agent
//! cannot change; the guard inside the sandbox reads nothing else.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCOPE_SCHEMA: &str = "signoff.guard_scope/1";
/// The variable that names the file, in the environment of a step's agent.
pub const SCOPE_VARIABLE: &str = "SIGNOFF_SCOPE";
/// The variable that names a file there to which the guard adds a line with the name of each tool that it refuses.
pub const DENIED_VARIABLE: &str = "SIGNOFF_DENIED";

/// The tool scope of one attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GuardScope {
    pub schema: String,
    pub run: String,
    pub step: String,
    /// From 1.
    pub attempt: u32,
    /// The tools as the plan names them: ours, an agent's, `server`, `server.tool` or `name_*`; `null` if the plan
    /// says nothing, and then every tool passes. An empty list lets nothing pass. It must be there, so that a file
    /// that lost it is not taken for one without a scope.
    #[serde(deserialize_with = "Option::deserialize")]
    pub tools: Option<Vec<String>>,
    /// The tool servers that the harness gives the agent in this attempt, as the agent knows them. Where there is a
    /// scope, tools of any other server do not pass.
    pub servers: Vec<String>,
}

impl GuardScope {
    /// A scope in the present version of the format.
    pub fn new(
        run: &str,
        step: &str,
        attempt: u32,
        tools: Option<Vec<String>>,
        servers: Vec<String>,
    ) -> Self {
        Self {
            schema: SCOPE_SCHEMA.to_owned(),
            run: run.to_owned(),
            step: step.to_owned(),
            attempt,
            tools,
            servers,
        }
    }
}
