//! `signoff.engine/1` and `signoff.shared-runs/1`: the machines that share runs, as `doctor engine` says, and their runs,
//! as `runs --all` lists them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub const SCHEMA: &str = "signoff.engine/1";
pub const RUNS_SCHEMA: &str = "signoff.shared-runs/1";

/// How the machines are that share runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Engine")]
pub struct ClusterStatus {
    pub schema: String,
    /// The database, without its password.
    pub url: String,
    /// The database has the tables of this version.
    pub migrated: bool,
    pub machines: Vec<ClusterMachine>,
    /// What waits or is under way.
    pub queues: Vec<ClusterQueue>,
    /// Milliseconds that this machine's clock is ahead of the database's.
    pub clock_ahead_ms: i64,
    /// What keeps runs from going on; empty where nothing does.
    pub obstacles: Vec<String>,
}

/// A process that takes part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EngineMachine")]
pub struct ClusterMachine {
    pub executor: String,
    pub name: String,
    pub key: String,
    /// The roles whose work it does.
    pub roles: Vec<String>,
    /// It drives runs.
    pub orchestrates: bool,
    /// It holds its lock; else it is dead, or will soon count as dead.
    pub alive: bool,
    /// It takes nothing new.
    pub draining: bool,
}

/// The work of a role.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "EngineQueue")]
pub struct ClusterQueue {
    pub role: String,
    pub depth: i64,
    /// How many live processes do it.
    pub workers: usize,
}

/// Every run of the database, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedRuns {
    pub schema: String,
    pub runs: Vec<SharedRun>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedRun {
    pub run: String,
    /// The project's id.
    pub project: String,
    pub plan: String,
    pub title: String,
    /// Who handed it over.
    pub by: String,
    /// `queued`, `running`, `waiting`, `paused`, `completed`, `partial` or `failed`.
    pub state: String,
    /// Why it stands still, if something is wrong.
    pub trouble: Option<String>,
    /// The process that drives it now.
    pub driver: Option<String>,
    pub started_at: String,
}
