//! What the engine needs to know of the configuration.

use serde::{Deserialize, Serialize};

use crate::Millis;

/// Settings of a run, fixed when it starts and whenever it goes on under another version of its
/// plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Settings {
    /// First pause before a retry; it doubles from there.
    #[serde(rename = "backoff_ms")]
    pub backoff: Millis,
    /// Contracts run once before the work unless a step says no.
    pub baseline: bool,
    /// What becomes of an agent step whose contract holds before the work.
    #[serde(default = "green_of_first_versions")]
    pub green: OnGreenBaseline,
    /// Runs of the first versions asked at each step and did not say so.
    #[serde(default = "accept_of_first_versions")]
    pub accept: AcceptAt,
    /// Steps under way at once; runs of the first versions had one.
    #[serde(default = "jobs_of_first_versions")]
    pub jobs: usize,
    /// Confinement really enforced, for the evidence.
    pub sandbox: String,
    /// Which tree it works on; runs of the first versions worked in the checkout.
    #[serde(default)]
    pub isolation: Isolation,
    /// Runs of the first versions came into the checkout at the end.
    #[serde(default)]
    pub land: LandAt,
    /// In runs of the first versions none did.
    #[serde(default)]
    pub cache: ContractCache,
    /// How often the plan may be replanned.
    #[serde(
        default = "replans_of_first_versions",
        skip_serializing_if = "is_as_in_first_versions"
    )]
    pub max_replans: u32,
    /// Roles that an arbiter chooses from for steps that name none; without any, no arbiter is asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub roles: Vec<String>,
    /// There is a planner that can write another version of the plan. Runs of the first versions did not say it.
    #[serde(
        default = "has_planner_in_first_versions",
        skip_serializing_if = "is_true"
    )]
    pub has_planner: bool,
}

impl Settings {
    /// The settings of a run that has not started yet.
    pub(crate) fn before_start() -> Self {
        Self {
            backoff: 0,
            baseline: true,
            green: green_of_first_versions(),
            accept: accept_of_first_versions(),
            jobs: jobs_of_first_versions(),
            sandbox: String::new(),
            isolation: Isolation::default(),
            land: LandAt::default(),
            cache: ContractCache::default(),
            max_replans: replans_of_first_versions(),
            roles: Vec::new(),
            has_planner: has_planner_in_first_versions(),
        }
    }
}

fn green_of_first_versions() -> OnGreenBaseline {
    OnGreenBaseline::Run
}

fn accept_of_first_versions() -> AcceptAt {
    AcceptAt::Step
}

fn jobs_of_first_versions() -> usize {
    1
}

fn replans_of_first_versions() -> u32 {
    3
}

fn has_planner_in_first_versions() -> bool {
    true
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_true(value: &bool) -> bool {
    *value
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_as_in_first_versions(replans: &u32) -> bool {
    *replans == replans_of_first_versions()
}

/// Whether contracts find what earlier contracts of the run built in ignored directories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Cache")
)]
pub enum ContractCache {
    /// None does.
    #[default]
    Cold,
    /// All do, until they are run once more without it at the end. Nothing lands before.
    Warm,
}

/// When what a run did comes into the checkout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Land")
)]
pub enum LandAt {
    /// The files of each step as soon as it has passed.
    Step,
    /// All of it when the run has completed.
    #[default]
    End,
}

/// Which tree a run works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Isolation {
    /// The checkout itself, where nothing can be mounted. Agents work one after another.
    #[default]
    Shared,
    /// A tree of its own, with a layer for each agent; a queue brings their work together.
    Worktree,
}

/// What becomes of an agent step whose contract holds before the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Green")
)]
pub enum OnGreenBaseline {
    /// Its agent works all the same.
    Run,
    /// It is skipped.
    Skip,
    /// A person decides.
    Ask,
}

/// When a person is asked whether agent steps without a contract are done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "Accept")
)]
pub enum AcceptAt {
    /// Once, at the end, about all of them; until then their dependents go on provisionally.
    End,
    /// At each step, before its dependents start.
    Step,
}
