//! What `doctor` says about agents.

use signoff_api::doctor::{AgentProblem, AgentsReport, KnownAgent, Login, RoleReport};

use crate::style::sanitize;

/// The lines of the section: the known agents, then the roles.
pub(super) fn lines(found: &AgentsReport) -> Vec<String> {
    let mut lines = vec!["agents:".to_owned()];
    lines.extend(found.known.iter().flat_map(agent_lines));
    if found.roles.is_empty() {
        lines.push("roles: none is configured; `signoff init` writes some".to_owned());
        return lines;
    }
    lines.push("roles:".to_owned());
    lines.extend(found.roles.iter().flat_map(role_lines));
    lines
}

/// The line about roles whose programs are missing, if there are any.
pub(super) fn missing_line(found: &AgentsReport) -> Option<String> {
    let missing = found.roles.iter().filter(|role| role.path.is_none());
    let names: Vec<String> = missing
        .map(|role| format!("`{}`", sanitize(&role.role)))
        .collect();
    let plural = if names.len() == 1 { "" } else { "s" };
    (!names.is_empty()).then(|| {
        let names = names.join(", ");
        format!("the program of role{plural} {names} is missing: no plan with such a step will run")
    })
}

fn agent_lines(agent: &KnownAgent) -> Vec<String> {
    let Some(path) = &agent.path else {
        let (name, install) = (&agent.name, &agent.install);
        return vec![format!(
            "  · {name:<8} not installed; `{install}` installs it"
        )];
    };
    let version = agent.version.as_deref().unwrap_or("of unknown version");
    let mark = if agent.problems.is_empty() {
        "✓"
    } else {
        "✗"
    };
    let login = login_text(agent.login, agent.login_by.as_deref());
    let mut lines = vec![format!(
        "  {mark} {:<8} {version}, {login} ({})",
        agent.name,
        sanitize(path)
    )];
    if !agent.roles.is_empty() {
        let roles = sanitize(&agent.roles.join(", "));
        lines.push(format!("    roles: {roles}"));
    }
    if !agent.files.is_empty() {
        let files = sanitize(&agent.files.join(", "));
        lines.push(format!("    in the sandbox it gets copies of {files}"));
    }
    let dropped = agent.dropped_hooks.iter();
    lines.extend(dropped.map(|hook| format!("    {}", sanitize(hook))));
    lines.extend(agent.problems.iter().map(problem_line));
    lines
}

fn role_lines(role: &RoleReport) -> Vec<String> {
    let mark = if role.path.is_some() { "✓" } else { "✗" };
    let mut said = vec![format!("driver {}", role.driver)];
    if !role.command.is_empty() {
        said.push(format!("command `{}`", role.command.join(" ")));
    }
    said.extend(role.model.as_ref().map(|model| format!("model {model}")));
    if role.retry_session == "continue" {
        said.push("retries continue its session".to_owned());
    }
    let (name, said) = (sanitize(&role.role), sanitize(&said.join(", ")));
    let mut lines = vec![format!("  {mark} {name}: {said}")];
    lines.extend(role.problems.iter().map(problem_line));
    lines
}

fn problem_line(problem: &AgentProblem) -> String {
    format!(
        "    {}: {}",
        sanitize(&problem.what),
        sanitize(&problem.fix)
    )
}

/// Whether a login is there, in words.
pub(crate) fn login_text(login: Login, by: Option<&str>) -> String {
    match (login, by) {
        (Login::Found, Some(by)) => format!("logged in by {}", sanitize(by)),
        (Login::Found, None) => "logged in".to_owned(),
        (Login::Missing, _) => "not logged in".to_owned(),
        (Login::Unknown, _) => "its login is not known".to_owned(),
    }
}
