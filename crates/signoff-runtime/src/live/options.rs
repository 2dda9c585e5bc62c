//! How far a run goes, how many steps run at once, and what the engine knows of the configuration.

use signoff_engine::{self as engine, AcceptAt, Bounds, OnGreenBaseline, Redo, Run, Settings};
use signoff_store::config;

use crate::error::Error;
use crate::project::Project;
use crate::project::agents::has_planner;
use crate::project::sandbox_level::level;

/// How a run is to be driven.
#[derive(Debug, Clone, Default)]
pub struct RunOptions {
    /// Steps under way at once; the configured number where nothing is said.
    pub jobs: Option<u32>,
    /// How far it is to go.
    pub limit: Option<RunLimit>,
    /// Where it works; the configured isolation if absent.
    pub isolation: Option<config::Isolation>,
    /// It is handed over to other machines, and not followed.
    pub detach: bool,
    /// Also run a plan that is completed.
    pub again: bool,
    /// How much of it is done again if an earlier run is known.
    pub redo: Redo,
}

/// How far a run is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunLimit {
    /// This step and everything that it waits for.
    Until(String),
    /// This step and no other.
    Only(String),
}

/// How far the run goes this time, and how much of it at once.
pub(super) fn bounds(run: &Run, options: &RunOptions) -> Result<Bounds, Error> {
    let jobs = options.jobs.and_then(|jobs| usize::try_from(jobs).ok());
    Ok(step_bounds(run, options)?.with_jobs(jobs))
}

fn step_bounds(run: &Run, options: &RunOptions) -> Result<Bounds, Error> {
    let (step, only) = match &options.limit {
        None => return Ok(Bounds::default()),
        Some(RunLimit::Only(step)) => (step, true),
        Some(RunLimit::Until(step)) => (step, false),
    };
    let unknown = || Error::Refused(signoff_engine::Refusal::NoStep { step: step.clone() });
    let by_number = || run.position(&run.plan().step_by_id_or_number(step)?.id);
    let at = (run.position(step).or_else(by_number)).ok_or_else(unknown)?;
    if !only {
        return Ok(Bounds::until_step(run, at));
    }
    let waits_for: Vec<String> = (run.plan().dependencies(at))
        .filter_map(|before| run.step(before))
        .filter(|(_, state)| !state.satisfies)
        .map(|(before, _)| before.id.clone())
        .collect();
    if waits_for.is_empty() {
        return Ok(Bounds::only_step(at));
    }
    let step = step.clone();
    Err(Error::NotReached { step, waits_for })
}

/// The engine's settings, from the configuration.
pub(super) fn settings(
    project: &Project,
    options: &RunOptions,
    isolation: engine::Isolation,
    land: engine::LandAt,
) -> Result<Settings, Error> {
    let config = &project.config;
    let jobs = options.jobs.unwrap_or(config.run.jobs.value);
    Ok(Settings {
        backoff: u64::try_from(config.run.backoff.value.as_millis()).unwrap_or(u64::MAX),
        baseline: config.contract.baseline.value,
        green: match config.contract.green.value {
            config::GreenBaseline::Run => OnGreenBaseline::Run,
            config::GreenBaseline::Skip => OnGreenBaseline::Skip,
            config::GreenBaseline::Ask => OnGreenBaseline::Ask,
        },
        accept: match config.contract.accept.value {
            config::AcceptTime::End => AcceptAt::End,
            config::AcceptTime::Step => AcceptAt::Step,
        },
        jobs: usize::try_from(jobs).unwrap_or(1).max(1),
        sandbox: level(project)?.to_string(),
        isolation,
        land,
        cache: match config.contract.cache.value {
            config::ContractCache::Cold => engine::ContractCache::Cold,
            config::ContractCache::Warm => engine::ContractCache::Warm,
        },
        max_replans: config.run.max_replans.value,
        roles: arbiter_roles(project),
        has_planner: has_planner(project),
    })
}

/// The roles that an arbiter chooses from, where one is configured.
fn arbiter_roles(project: &Project) -> Vec<String> {
    let config = &project.config;
    let roles = config.agents.keys().filter(|role| *role != "default");
    let is_asked = config.llm.arbiter.value.is_some();
    roles.filter(|_| is_asked).cloned().collect()
}
