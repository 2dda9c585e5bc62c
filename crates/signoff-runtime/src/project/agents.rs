//! What the agents of the configuration need, and how a person gets their programs.

use signoff_store::config::AgentSettings;
use signoff_work::confine::{AgentRequirements, agent_advice};

/// What an agent is given of the person's home and environment.
pub(crate) fn agent_requirements(agent: &AgentSettings) -> AgentRequirements {
    let command = agent.command_words();
    let needs = match agent.driver.program() {
        // The driver says which program it is, whatever the command calls it.
        Some(program) => AgentRequirements::of_program(program, &command),
        None => AgentRequirements::of_command(&command),
    };
    needs.with(&agent.login, &agent.env)
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
