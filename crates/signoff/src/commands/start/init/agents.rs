//! The coding agents that are installed, and the roles that `init` writes for the best of them.

use signoff_api::project::FoundAgent;
use signoff_runtime::doctor::agents::{LocalAgent, local_agents, login, login_source};
use signoff_runtime::project::{ProcessContext, load_config};
use signoff_store::config::DriverName;
use signoff_work::confine::LoginState;

use crate::commands::inspect::doctor::login_text;

/// The roles that plans name; a step that names none gets `default`.
pub(super) const ROLES: [&str; 7] = [
    "default",
    "planner",
    "coder",
    "developer",
    "tester",
    "reviewer",
    "executor",
];

const CONFIG: &str = include_str!("config.toml");
const PLACEHOLDER: &str = "# ROLES\n";

/// The agents on PATH, the best first: one with a login before one without, then in order of preference.
pub(super) fn installed_agents(process: &ProcessContext) -> Vec<LocalAgent> {
    let mut agents = local_agents(process, Some(&process.directory));
    agents.retain(|agent| agent.path.is_some());
    agents.sort_by_key(|agent| !is_logged_in(agent));
    agents
}

pub(super) fn is_logged_in(agent: &LocalAgent) -> bool {
    matches!(agent.login, LoginState::Found(_))
}

/// Whether the person chose an agent in their own configuration: the project's would replace it.
pub(super) fn has_own_default(process: &ProcessContext) -> bool {
    load_config(process, None).is_ok_and(|config| config.agents.contains_key("default"))
}

/// The initial configuration. Its roles are for the agent `chosen`; without one they are comments, because Signoff must
/// not start an agent that nobody chose.
pub(super) fn config(found: &[LocalAgent], chosen: Option<&LocalAgent>) -> String {
    let mark = if chosen.is_some() { "" } else { "# " };
    let shown = chosen.or(found.first());
    let driver = shown
        .map_or(DriverName::Claude, |agent| agent.driver)
        .name();
    let role = |role| format!("{mark}[agents.{role}]\n{mark}driver = \"{driver}\"\n");
    let mut roles: Vec<String> = ROLES.into_iter().map(role).collect();
    roles.extend(found.iter().skip(1).map(|other| {
        let (name, described) = (other.driver.name(), describe(other));
        format!("# {described} is installed too: driver = \"{name}\"\n")
    }));
    CONFIG.replace(PLACEHOLDER, &roles.join("\n"))
}

/// An agent in words: its name, version and login.
pub(super) fn describe(agent: &LocalAgent) -> String {
    let version = agent.version.as_ref();
    let version = version.map(|version| format!(" {version}"));
    let by = login_source(&agent.login);
    format!(
        "{}{} ({})",
        agent.driver.name(),
        version.unwrap_or_default(),
        login_text(login(&agent.login), by.as_deref())
    )
}

/// For programs.
pub(super) fn report(agent: &LocalAgent) -> Option<FoundAgent> {
    Some(FoundAgent {
        name: agent.driver.name().to_owned(),
        path: agent.path.as_ref()?.display().to_string(),
        version: agent.version.clone(),
        login: login(&agent.login),
        login_by: login_source(&agent.login),
    })
}

#[cfg(test)]
mod tests {
    use signoff_store::config::{AgentSettings, Config, Layers};
    use signoff_work::confine::agent_advice;

    use super::*;

    fn agent(driver: DriverName, version: Option<&str>, login: LoginState) -> LocalAgent {
        LocalAgent {
            driver,
            advice: agent_advice(driver.name()).unwrap(),
            path: Some("/bin/x".into()),
            version: version.map(str::to_owned),
            login,
        }
    }

    fn load(text: &str) -> Config {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        Config::load(&Layers {
            project: Some(path),
            ..Layers::default()
        })
        .unwrap()
    }

    /// Checks that nothing else than roles for this driver is set.
    fn check_roles(text: &str, driver: DriverName) {
        let mut config = load(text);
        for role in ROLES {
            let agent = config.agents.remove(role).unwrap();
            assert_eq!(agent.value, AgentSettings::of_driver(driver), "{role}");
        }
        config.project = None;
        assert_eq!(config, Config::default());
    }

    #[test]
    fn roles_are_written_for_the_best_agent() {
        let found = [
            agent(
                DriverName::Codex,
                Some("0.166.0"),
                LoginState::Found("~/x".to_owned()),
            ),
            agent(DriverName::Claude, None, LoginState::Missing),
        ];
        let text = config(&found, found.first());
        check_roles(&text, DriverName::Codex);
        assert!(
            text.contains("# claude (not logged in) is installed too: driver = \"claude\"\n"),
            "{text}"
        );
        assert_eq!(describe(&found[0]), "codex 0.166.0 (logged in by ~/x)");
    }

    #[test]
    fn without_an_agent_the_roles_are_comments() {
        let text = config(&[], None);
        let mut loaded = load(&text);
        loaded.project = None;
        assert_eq!(loaded, Config::default());
        let lines = text
            .lines()
            .map(|line| line.strip_prefix("# ").unwrap_or(line));
        let active: Vec<&str> = lines
            .filter(|line| line.starts_with("[agents.") || line.starts_with("driver = "))
            .collect();
        check_roles(&active.join("\n"), DriverName::Claude);
        let found = [agent(DriverName::Pi, None, LoginState::Missing)];
        assert!(config(&found, None).contains("\n# [agents.coder]\n# driver = \"pi\"\n"));
    }

    #[test]
    fn what_is_commented_out_is_built_in() {
        let text = config(&[], None);
        let is_key = |name: &str| {
            name.bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        let sets = |line: &str| line.split_once(" = ").is_some_and(|(name, _)| is_key(name));
        let active: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("# "))
            .filter(|line| line.starts_with('[') || sets(line))
            .collect();
        let config = load(&active.join("\n"));
        let built_in = Config::default().entries();
        let entries = config.entries().into_iter();
        let entries = entries.filter(|one| !one.key.starts_with("agents"));
        for (entry, built_in) in entries.zip(built_in) {
            assert_eq!(entry.value, built_in.value, "{}", entry.key);
        }
    }
}
