//! What must be true before anything starts.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use signoff_engine::unsupported;
use signoff_plan::model::{Plan, Work};
use signoff_store::config::{AgentSettings, SandboxMode, UnverifiedPolicy};
use signoff_work::confine::DroppedHook;

use crate::confinement;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::project::agents::{agent_requirements, how_to_get};
use crate::project::sandbox_level::level;
use crate::project::{Project, roles};
use crate::trust::helpers::{ProgramSearch, search};

/// The plan can be carried out by this version, with these settings and programs.
pub(crate) fn require_runnable(project: &Project, plan: &PlanFile) -> Result<(), Error> {
    require_supported(plan)?;
    require_contracts(project, plan)?;
    require_programs(project, plan)
}

/// The plan asks for nothing that this version would have to ignore.
fn require_supported(plan: &PlanFile) -> Result<(), Error> {
    let missing = unsupported(&plan.checked.plan);
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::Unsupported(missing))
    }
}

/// No step would have to be taken on trust, where the settings ask for that.
fn require_contracts(project: &Project, plan: &PlanFile) -> Result<(), Error> {
    if project.config.contract.unverified.value == UnverifiedPolicy::Ask {
        return Ok(());
    }
    let steps = plan.checked.plan.steps.iter();
    let bare = steps
        .filter(|step| matches!(step.work, Work::Agent { .. }) && step.contract.is_none())
        .map(|step| step.id.clone());
    let bare: Vec<String> = bare.collect();
    if bare.is_empty() {
        return Ok(());
    }
    let plan = plan.source.name().to_owned();
    Err(Error::Unverified { plan, steps: bare })
}

/// Every program that an agent of this plan needs can be found.
fn require_programs(project: &Project, plan: &PlanFile) -> Result<(), Error> {
    let mut missing = Vec::new();
    for role in roles(&plan.checked.plan) {
        match project.config.agent_for_role(Some(&role)) {
            Some((_, agent)) => {
                missing.extend(missing_logins(project, &role, agent));
                missing.extend(missing_agent(project, &role, agent));
            }
            None => missing.push(format!(
                "an agent for role `{role}`: run `signoff init`, or add `[agents.{role}]` with `driver` to \
                 .signoff/config.toml"
            )),
        }
    }
    missing.extend(unreachable_paths(project, plan)?);
    for shell in shells(project, plan) {
        let needed = format!("`{shell}`, which runs contracts");
        missing.extend(missing_program(project, &shell, &needed));
    }
    if missing.is_empty() {
        Ok(())
    } else {
        Err(Error::MissingPrograms(missing))
    }
}

/// The message for an agent whose program a run would not find, with how to get it and to log in.
fn missing_agent(project: &Project, role: &str, agent: &AgentSettings) -> Option<String> {
    let program = agent.program();
    let needed = format!("`{program}`, which agent `{role}` runs");
    let needed = match (search(project, program), how_to_get(agent)) {
        (ProgramSearch::Missing, Some(how)) => format!("{needed}: {how}"),
        _ => needed,
    };
    missing_program(project, program, &needed)
}

/// The message for a program that a run would not find.
fn missing_program(project: &Project, program: &str, needed: &str) -> Option<String> {
    match search(project, program) {
        ProgramSearch::Found => None,
        ProgramSearch::Missing => Some(needed.to_owned()),
        ProgramSearch::InsideProject(path) => Some(format!(
            "{needed}: PATH has it only inside the project, where an agent could replace it; write `{path}`"
        )),
    }
}

/// Files that were named for an agent to log in with and are not there to be copied.
fn missing_logins(project: &Project, role: &str, agent: &AgentSettings) -> Vec<String> {
    if project.config.sandbox.mode.value == SandboxMode::Off {
        return Vec::new();
    }
    let home = project.process.variables.get(OsStr::new("HOME"));
    let is_there = |file: &&String| {
        let below = file.strip_prefix("~/").unwrap_or(file);
        home.is_some_and(|home| Path::new(home).join(below).is_file())
    };
    let missing = agent.login.iter().filter(|file| !is_there(file));
    missing
        .map(|file| format!("`{file}`, which agent `{role}` logs in with"))
        .collect()
}

/// Paths of the home that are configured and refused, and paths that agents' commands name and agents could not see.
fn unreachable_paths(project: &Project, plan: &PlanFile) -> Result<Vec<String>, Error> {
    let level = level(project)?;
    let Some(run_paths) = confinement::run_paths(project, Path::new(""), level) else {
        return Ok(Vec::new());
    };
    let mut unseen = run_paths.home.refusals().to_vec();
    if !level.uses_mounts() {
        return Ok(unseen);
    }
    for role in roles(&plan.checked.plan) {
        let Some((name, agent)) = project.config.agent_for_role(Some(&role)) else {
            continue;
        };
        for path in run_paths.unreachable(&agent_requirements(agent)) {
            let path = path.display();
            unseen.push(format!(
                "`{path}`, which the command of agent `{name}` names: the agent sees no file of your home or of /tmp \
                 but programs; add it to the agent's `login`, or to `[sandbox] home` in your own configuration"
            ));
        }
    }
    Ok(unseen)
}

/// Hooks in the settings of the plan's agents that they are not given, a sentence for each.
pub(crate) fn dropped_hooks(project: &Project, plan: &Plan) -> Vec<String> {
    let Ok(level) = level(project) else {
        return Vec::new();
    };
    let Some(run_paths) = confinement::run_paths(project, Path::new(""), level) else {
        return Vec::new();
    };
    let agents = roles(plan).into_iter().filter_map(|role| {
        let (_, agent) = project.config.agent_for_role(Some(&role))?;
        Some(agent_requirements(agent))
    });
    let variables = &project.process.variables;
    let dropped = agents.flat_map(|needs| run_paths.dropped_hooks(&needs, variables));
    let dropped: BTreeSet<DroppedHook> = dropped.collect();
    dropped.iter().map(DroppedHook::to_string).collect()
}

/// The shells that the contracts of this plan run in.
fn shells(project: &Project, plan: &PlanFile) -> BTreeSet<String> {
    let contracts = plan
        .checked
        .plan
        .steps
        .iter()
        .filter_map(|step| step.contract.as_ref());
    contracts
        .map(|contract| match &contract.shell {
            Some(shell) => shell.clone(),
            None => project.config.contract.shell.value.clone(),
        })
        .collect()
}
