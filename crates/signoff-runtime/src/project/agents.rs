//! What the agents of the configuration need, and how a person gets their programs.

use signoff_store::config::{AgentSettings, DriverName};
use signoff_work::confine::{AgentRequirements, agent_advice};

use crate::error::{Error, PlanningError};
use crate::project::Project;

/// Requires that a role which a person names in a command exists; only names in plans and settings fall back to
/// `default`.
pub fn require_role(project: &Project, name: &str) -> Result<(), Error> {
    let agents = &project.config.agents;
    if agents.contains_key(name) || DriverName::of_name(name).is_some() {
        return Ok(());
    }
    let role = name.to_owned();
    let known = agents.keys().cloned().collect();
    Err(PlanningError::NoAgent { role, known }.into())
}

/// The role that plans, unless `[llm] agent` names another one.
pub(crate) const PLANNER: &str = "planner";

/// Is there a planner?
pub(crate) fn has_planner(project: &Project) -> bool {
    let config = &project.config;
    let role = config.llm.agent.value.as_deref();
    let is_provided = role.is_none() && config.llm.provider.value.is_some();
    let role = role.unwrap_or(PLANNER);
    is_provided || config.agent_for_role(Some(role)).is_some()
}

/// Refuses commands that need a planner if none is configured.
pub(crate) fn require_planner(project: &Project) -> Result<(), Error> {
    if has_planner(project) {
        return Ok(());
    }
    let config = &project.config;
    let role = config.llm.agent.value.as_deref();
    Err(PlanningError::NoAgent {
        role: role.unwrap_or(PLANNER).to_owned(),
        known: config.agents.keys().cloned().collect(),
    }
    .into())
}

/// What an agent is given of the person's home and environment.
pub(crate) fn agent_requirements(agent: &AgentSettings) -> AgentRequirements {
    let command = agent.command_words();
    let needs = match agent.driver.program() {
        // The driver says which program it is, whatever the command calls it.
        Some(program) => AgentRequirements::of_program(program, &command),
        None => AgentRequirements::of_command(&command),
    };
    needs.with_login(&agent.login, &agent.env)
}

/// The program that an agent is, by the name under which it is known; a wrapper of it has another name.
pub(crate) fn known_program(agent: &AgentSettings) -> &str {
    agent.driver.program().unwrap_or_else(|| agent.program())
}

/// How a person gets the program of an agent and logs in to it, where we know.
pub(crate) fn how_to_get(agent: &AgentSettings) -> Option<String> {
    let advice = agent_advice(known_program(agent))?;
    Some(format!(
        "`{}` installs it; then {}",
        advice.install, advice.log_in
    ))
}
