//! `signoff.doctor/1`: what this machine can do for a run.

mod agents;
mod guard;
mod probe;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::agents::{AgentProblem, AgentsReport, KnownAgent, Login, RoleReport};
pub use self::guard::{Canary, GuardHole, GuardProbe};
pub use self::probe::AgentProbe;

pub const SCHEMA: &str = "signoff.doctor/1";
/// The level of a machine on which none could be tried.
pub const UNKNOWN: &str = "unknown";

/// What `doctor` answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Doctor {
    pub schema: String,
    /// `null` where only another section was asked for.
    pub sandbox: Option<Sandbox>,
    /// Whether runs of this project can have trees of their own; `null` outside of a project.
    #[serde(default)]
    pub worktrees: Option<Worktrees>,
    /// Entries of PATH inside the project: contracts, servers and the programs of agents are not
    /// looked for there.
    #[serde(default)]
    pub path_dropped: Vec<String>,
    /// The project; `null` outside of one.
    #[serde(default)]
    pub project: Option<Project>,
    /// How the trees that steps work on are shown to them; `null` outside of a project, and where somebody wants
    /// nothing to be confined or steps to work in the checkout.
    #[serde(default)]
    pub room: Option<RoomReport>,
    /// What agents and contracts do not find of the home; `null` outside of a project, and where nothing is hidden.
    #[serde(default)]
    pub home: Option<HiddenHome>,
    /// What there is less of than before: no run starts until a person accepts it (`doctor --accept-level`).
    #[serde(default)]
    pub weaker: Vec<LostCapability>,
    /// `null` where only another section was asked for.
    #[serde(default)]
    pub agents: Option<AgentsReport>,
    /// What agents did with a small task (`--probe`); `null` where nobody asked for it.
    #[serde(default)]
    pub probe: Option<Vec<AgentProbe>>,
    /// What became of calls with the guard in front of agents; `null` where nobody asked for it.
    #[serde(default)]
    pub guard: Option<Vec<GuardProbe>>,
}

/// What is not shown of the home; `[sandbox] home` shows more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Home")]
pub struct HiddenHome {
    /// Names directly in the home (`~/.foo`).
    pub unseen: Vec<String>,
    /// What the output of failed contracts of the newest run names of it.
    pub missed: Vec<MissedPath>,
}

/// Something of the home that a contract may have missed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Missed")]
pub struct MissedPath {
    /// As `[sandbox] home` takes it.
    pub path: String,
    pub run: String,
    /// The step whose contract failed.
    pub step: String,
}

/// How trees are shown: `overlay`, `overlay-tmpfs`, `copy`, or not at all (`shared`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Room")]
pub struct RoomReport {
    pub now: String,
    /// As it was when a run last began in this checkout; `null` if none did.
    pub before: Option<String>,
    /// Why it is not better.
    pub why: Vec<String>,
}

/// Something that this machine had more of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Lost")]
pub struct LostCapability {
    /// `sandbox` or `room`.
    pub what: String,
    pub before: String,
    pub now: String,
}

/// What is trusted of a project on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Project {
    pub root: String,
    /// Its id, which signatures name; `null` until the first write to its store.
    pub id: Option<String>,
    /// The directory that has the same id, if this one may be a copy: signatures do not count here.
    pub copy_of: Option<String>,
    /// `not_needed`, `given`, `missing` or `changed`.
    pub trust: String,
    /// Files of the project that configured commands run.
    pub helpers: Vec<Helper>,
}

/// A file of the project that a configured command runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Helper {
    /// Which command.
    pub command: String,
    /// From the project's root.
    pub path: String,
    pub state: HelperState,
}

/// Whether a file is what the person trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum HelperState {
    Trusted,
    /// It has changed since, or cannot be read.
    Changed,
    /// Nobody trusted it.
    New,
}

/// Whether agents can have trees of their own, and so work side by side.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Worktrees {
    pub possible: bool,
    /// What is in the way.
    pub why: Vec<String>,
    /// Why what they do is not recorded in the project's own repository; empty if it is.
    #[serde(default)]
    pub private: Vec<String>,
}

/// How agents and contracts are confined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sandbox {
    /// `off`, `auto` or `required`.
    pub mode: String,
    /// What runs get: `namespaces`, `bubblewrap`, `landlock` or `none`; `unknown` if it could not be tried, and then
    /// nothing starts.
    pub level: String,
    /// What runs got when one last began on this machine; `null` if none did. Where it is stronger, no run starts
    /// until a person accepts the weaker one.
    #[serde(default)]
    pub before: Option<String>,
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
    pub state: LevelState,
    /// Why it does not work, or could not be tried.
    pub why: Option<String>,
    /// What it enforces.
    pub enforces: String,
}

/// What is known of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "State")]
pub enum LevelState {
    /// It was tried with a command that breaks the rules, and used.
    Works,
    Fails,
    /// A stronger one works, nothing is to be confined, or it could not be tried.
    NotTried,
}
