//! The agents that are installed here, and what the configured roles make of them.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_api::doctor::{AgentProblem, AgentsReport, KnownAgent, Login, RoleReport};
use signoff_sandbox::{Command, ExitStatus, Limits, RunningCommand, Sandbox, Stdin};
use signoff_store::config::{AgentSettings, DriverName};
use signoff_work::confine::{
    Advice, AgentRequirements, DroppedHook, LoginState, agent_advice, login_state,
};
use signoff_work::environment::path_outside;

use crate::confinement::levels::Machine;
use crate::confinement::run_paths;
use crate::project::agents::{agent_requirements, how_to_get, known_program};
use crate::project::sandbox_level::level;
use crate::project::{ProcessContext, Project};

/// A program that only says its version needs no longer.
const LONGEST: Duration = Duration::from_secs(5);
/// Longer versions are cut off.
const LONGEST_VERSION: usize = 40;

/// An agent that has a driver of its own, on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalAgent {
    /// Its driver.
    pub driver: DriverName,
    /// The program's name, and what a person types to get it and to log in to it.
    pub advice: Advice,
    /// Where its program is; `None` if it is not installed.
    pub path: Option<PathBuf>,
    /// The version that it tells.
    pub version: Option<String>,
    /// Whether a login is there.
    pub login: LoginState,
}

/// Looks for every agent that has a driver of its own, in order of preference. Programs inside `workspace` do not count:
/// an agent could have put them there.
pub fn local_agents(process: &ProcessContext, workspace: Option<&Path>) -> Vec<LocalAgent> {
    let search = ProgramPath::new(process, workspace);
    let home = home(process);
    let known = DriverName::ALL.into_iter().filter_map(|driver| {
        let program = driver.program()?;
        let path = search.find(program);
        Some(LocalAgent {
            driver,
            advice: agent_advice(program)?,
            login: login_state(program, home, &process.variables),
            path,
            version: None,
        })
    });
    let mut agents: Vec<LocalAgent> = known.collect();
    tell_versions(&mut agents, process);
    agents
}

/// Starts all that are installed at once: some take a second to say their version.
fn tell_versions(agents: &mut [LocalAgent], process: &ProcessContext) {
    let Ok(sandbox) = Sandbox::new() else {
        return;
    };
    let started: Vec<Option<RunningCommand>> = (agents.iter())
        .map(|agent| {
            let command = version_command(agent.path.as_ref()?, process);
            sandbox.start(command).ok()
        })
        .collect();
    for (agent, running) in agents.iter_mut().zip(started) {
        let ended = running.map(RunningCommand::wait);
        let told = ended.filter(|ended| ended.status == ExitStatus::Exited(0));
        // pi says it on stderr.
        agent.version = told.and_then(|told| {
            version_in(&told.stdout.text()).or_else(|| version_in(&told.stderr.text()))
        });
    }
}

/// The command sees nothing of the project, and no variable that may hold a secret.
fn version_command(program: &Path, process: &ProcessContext) -> Command {
    let variables = ["PATH", "HOME"].map(OsString::from);
    let given = variables.into_iter().filter_map(|name| {
        let value = process.variables.get(&name)?.clone();
        Some((name, value))
    });
    Command {
        argv: vec![program.into(), "--version".into()],
        cwd: PathBuf::from("/"),
        env: given.collect(),
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(LONGEST),
            output: 4096,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    }
}

/// The version in what a program says: the first word that looks like one.
fn version_in(text: &str) -> Option<String> {
    let is_version = |word: &&str| {
        word.starts_with(|first: char| first.is_ascii_digit())
            && word.contains('.')
            && word.len() <= LONGEST_VERSION
            && word
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-+_".contains(&byte))
    };
    let words = text.split_whitespace();
    let mut words = words.map(|word| word.strip_prefix('v').unwrap_or(word));
    words.find(is_version).map(str::to_owned)
}

/// The known agents, the configured roles, and what is in their way.
pub(super) fn agents_report(machine: Machine<'_>) -> AgentsReport {
    let workspace = machine.project.map(|project| project.store.workspace());
    let search = ProgramPath::new(machine.process, workspace);
    let configured = machine.config.agents.iter();
    let roles: Vec<(&str, &AgentSettings)> = configured
        .map(|(role, agent)| (role.as_str(), &agent.value))
        .collect();
    let local = local_agents(machine.process, workspace);
    let known = local
        .iter()
        .map(|agent| known_agent(machine, agent, &roles));
    AgentsReport {
        known: known.collect(),
        roles: (roles.iter())
            .map(|(role, agent)| role_report(role, agent, &search))
            .collect(),
    }
}

fn known_agent(
    machine: Machine<'_>,
    agent: &LocalAgent,
    roles: &[(&str, &AgentSettings)],
) -> KnownAgent {
    let name = agent.driver.name();
    let used_by: Vec<String> = (roles.iter())
        .filter(|(_, settings)| known_program(settings) == name)
        .map(|(role, _)| (*role).to_owned())
        .collect();
    let needs = agent_requirements(&AgentSettings::of_driver(agent.driver));
    let files = home(machine.process)
        .map(|home| needs.given_files(home, &machine.process.variables))
        .unwrap_or_default();
    let problem = match (&agent.path, &agent.login) {
        (None, _) if !used_by.is_empty() => Some(AgentProblem {
            what: format!("`{name}` is not installed"),
            fix: format!("type `{}`", agent.advice.install),
        }),
        (Some(_), LoginState::Missing) => Some(AgentProblem {
            what: "no login was found".to_owned(),
            fix: agent.advice.log_in.to_owned(),
        }),
        (None | Some(_), _) => None,
    };
    KnownAgent {
        name: name.to_owned(),
        path: agent.path.as_ref().map(|path| path.display().to_string()),
        version: agent.version.clone(),
        login: login(&agent.login),
        login_by: login_source(&agent.login),
        install: agent.advice.install.to_owned(),
        roles: used_by,
        files,
        dropped_hooks: machine
            .project
            .map(|project| dropped_hooks(project, &needs))
            .unwrap_or_default(),
        problems: problem.into_iter().collect(),
    }
}

/// Only a project has a sandbox whose view of the home is known.
fn dropped_hooks(project: &Project, needs: &AgentRequirements) -> Vec<String> {
    let level = level(project).ok();
    let run_paths = level.and_then(|level| run_paths(project, Path::new(""), level));
    let dropped = run_paths.map(|paths| paths.dropped_hooks(needs, &project.process.variables));
    let dropped = dropped.unwrap_or_default();
    dropped.iter().map(DroppedHook::to_string).collect()
}

fn role_report(role: &str, agent: &AgentSettings, search: &ProgramPath) -> RoleReport {
    let program = agent.program();
    let path = search.find(program);
    let problem = path.is_none().then(|| AgentProblem {
        what: format!("`{program}` is not installed"),
        fix: how_to_get(agent).unwrap_or_else(|| {
            format!("install it, or change `[agents.{role}]` in your configuration")
        }),
    });
    RoleReport {
        role: role.to_owned(),
        driver: agent.driver.name().to_owned(),
        command: agent.command.clone(),
        model: agent.model.clone(),
        retry_session: agent.retry_session.name().to_owned(),
        path: path.map(|path| path.display().to_string()),
        problems: problem.into_iter().collect(),
    }
}

/// How a login is passed to programs.
pub fn login(state: &LoginState) -> Login {
    match state {
        LoginState::Found(_) => Login::Found,
        LoginState::Missing => Login::Missing,
        LoginState::Unknown => Login::Unknown,
    }
}

/// The file or variable that is the login.
pub fn login_source(state: &LoginState) -> Option<String> {
    match state {
        LoginState::Found(by) => Some(by.clone()),
        LoginState::Missing | LoginState::Unknown => None,
    }
}

fn home(process: &ProcessContext) -> Option<&Path> {
    process.variables.get(OsStr::new("HOME")).map(Path::new)
}

/// Where programs of agents are looked for.
struct ProgramPath {
    directories: Vec<PathBuf>,
    /// What relative paths begin at.
    root: PathBuf,
}

impl ProgramPath {
    fn new(process: &ProcessContext, workspace: Option<&Path>) -> Self {
        let path = process.path();
        let path = match workspace {
            Some(workspace) => path_outside(&path, workspace),
            None => path,
        };
        let directories = std::env::split_paths(&path).filter(|entry| entry.is_absolute());
        Self {
            directories: directories.collect(),
            root: workspace.unwrap_or(&process.directory).to_owned(),
        }
    }

    fn find(&self, program: &str) -> Option<PathBuf> {
        let is_program = |path: &PathBuf| {
            signoff_sandbox::program_exists(path.as_os_str(), OsStr::new(""), Path::new("/"))
        };
        if program.contains('/') {
            return Some(self.root.join(program)).filter(is_program);
        }
        let mut candidates = self.directories.iter().map(|entry| entry.join(program));
        candidates.find(is_program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        let check = |text, expected: Option<&str>| {
            assert_eq!(version_in(text).as_deref(), expected, "{text}");
        };
        check("2.1.197 (Claude Code)\n", Some("2.1.197"));
        check("codex-cli 0.166.0", Some("0.166.0"));
        check("v1.18.33-beta+1\n", Some("1.18.33-beta+1"));
        check("Update available! 3 new\n0.61.0\n", Some("0.61.0"));
        check("usage: pi", None);
        check("1.\u{1b}[31m0", None);
        check("", None);
    }
}
