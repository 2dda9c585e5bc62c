//! The drivers of agents, and which agent a name in a plan means.

use std::collections::BTreeMap;

use crate::config::Setting;

/// The role of a step that names none, and of a name that nothing else explains.
const DEFAULT: &str = "default";

/// `[agents.NAME]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    pub driver: DriverName,
    /// Program and arguments. For `driver = "command"` they have placeholders and are all there is; for others they
    /// stand before the driver's own arguments, and are empty where the driver's own program is meant.
    pub command: Vec<String>,
    /// The model that it works with, where the plan names none.
    pub model: Option<String>,
    /// What the next attempt of a step knows of the last one.
    pub retry_session: RetrySession,
    /// Files below the user's home (`~/…`) that it logs in with, besides those that its program is known to.
    pub login: Vec<String>,
    /// Names of variables that it gets to see, besides those that all do and those it is known to need.
    pub env: Vec<String>,
}

impl AgentSettings {
    /// An agent about which nothing is configured but its driver.
    pub const fn of_driver(driver: DriverName) -> Self {
        Self {
            driver,
            command: Vec::new(),
            model: None,
            retry_session: RetrySession::Fresh,
            login: Vec::new(),
            env: Vec::new(),
        }
    }

    /// The program that is started.
    pub fn program(&self) -> &str {
        let configured = self.command.first().map(String::as_str);
        let program = configured.or(self.driver.program());
        program.expect("the configuration is refused if neither the agent nor its driver has one")
    }

    /// The configured command, or else the driver's program: the words that stand before the driver's own arguments.
    pub fn command_words(&self) -> Vec<String> {
        match self.command.as_slice() {
            [] => vec![self.program().to_owned()],
            words => words.to_vec(),
        }
    }
}

/// How an agent is started and spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DriverName {
    /// Claude Code.
    Claude,
    Codex,
    /// Gemini CLI.
    Gemini,
    Opencode,
    Pi,
    /// Any program that speaks the Agent Client Protocol.
    Acp,
    /// Any program that takes a prompt.
    Command,
}

impl DriverName {
    /// Every driver; those of one program come first, in order of preference.
    pub const ALL: [Self; 7] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Pi,
        Self::Acp,
        Self::Command,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
            Self::Acp => "acp",
            Self::Command => "command",
        }
    }

    /// The program that it starts where no `command` is configured. `None` if it can start any, so that one must be.
    pub fn program(self) -> Option<&'static str> {
        match self {
            Self::Claude | Self::Codex | Self::Gemini | Self::Opencode | Self::Pi => {
                Some(self.name())
            }
            Self::Acp | Self::Command => None,
        }
    }

    /// Whether it can go on with the session of an earlier attempt.
    pub fn can_continue(self) -> bool {
        match self {
            Self::Claude | Self::Codex | Self::Opencode | Self::Pi => true,
            Self::Gemini | Self::Acp | Self::Command => false,
        }
    }

    /// The driver that a name in a plan means by itself: one that needs no `command`. Some plans call Claude by its
    /// whole name.
    pub fn of_name(name: &str) -> Option<Self> {
        let name = if name == "claude-code" {
            "claude"
        } else {
            name
        };
        let mut own = Self::ALL.into_iter().filter(|one| one.program().is_some());
        own.find(|one| one.name() == name)
    }
}

/// The agents that need no configuration.
static UNCONFIGURED: [AgentSettings; 5] = [
    AgentSettings::of_driver(DriverName::Claude),
    AgentSettings::of_driver(DriverName::Codex),
    AgentSettings::of_driver(DriverName::Gemini),
    AgentSettings::of_driver(DriverName::Opencode),
    AgentSettings::of_driver(DriverName::Pi),
];

/// `retry_session`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RetrySession {
    /// It starts anew, with the failure in its prompt.
    Fresh,
    /// It goes on with its own session.
    Continue,
}

impl RetrySession {
    pub(in crate::config) const CHOICES: [(&'static str, Self); 2] =
        [("fresh", Self::Fresh), ("continue", Self::Continue)];

    pub fn name(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Continue => "continue",
        }
    }
}

/// The agent that a name in a plan means, with the name that it is known by: a configured role, else the driver of that
/// name with its defaults, else the role `default`. A step without a name gets `default`.
///
/// Nothing is guessed from what is installed: no agent starts that neither the configuration nor the plan names.
pub fn find_agent<'a>(
    agents: &'a BTreeMap<String, Setting<AgentSettings>>,
    name: Option<&str>,
) -> Option<(&'a str, &'a AgentSettings)> {
    let configured = |name: &str| {
        let (name, agent) = agents.get_key_value(name)?;
        Some((name.as_str(), &agent.value))
    };
    let unconfigured = |driver: DriverName| {
        let agent = UNCONFIGURED.iter().find(|agent| agent.driver == driver)?;
        Some((driver.name(), agent))
    };
    let driver = name.and_then(DriverName::of_name);
    name.and_then(configured)
        // `claude-code` means what is configured for `claude`.
        .or_else(|| driver.and_then(|driver| configured(driver.name())))
        .or_else(|| driver.and_then(unconfigured))
        .or_else(|| configured(DEFAULT))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(configured: &[&str], name: Option<&str>, expected: Option<(&str, DriverName)>) {
        let agent = |name: &&str| {
            let agent = AgentSettings::of_driver(DriverName::Command);
            ((*name).to_owned(), Setting::built_in(agent))
        };
        let agents = configured.iter().map(agent).collect();
        let found = find_agent(&agents, name).map(|(name, agent)| (name, agent.driver));
        assert_eq!(found, expected, "{configured:?} {name:?}");
    }

    #[test]
    fn a_name_is_a_role_then_a_driver_then_the_default() {
        let own = |name| Some((name, DriverName::Command));
        check(&["coder", "default"], Some("coder"), own("coder"));
        check(&["coder", "default"], Some("painter"), own("default"));
        check(&["coder", "default"], None, own("default"));
        check(
            &["default"],
            Some("codex"),
            Some(("codex", DriverName::Codex)),
        );
        check(
            &[],
            Some("claude-code"),
            Some(("claude", DriverName::Claude)),
        );
        check(&["claude"], Some("claude-code"), own("claude"));
        check(&["claude-code"], Some("claude-code"), own("claude-code"));
    }

    #[test]
    fn every_driver_of_one_program_needs_no_configuration() {
        for driver in DriverName::ALL {
            let expected = driver.program().map(|_| (driver.name(), driver));
            check(&[], Some(driver.name()), expected);
        }
    }

    #[test]
    fn nothing_that_nobody_chose_is_found() {
        check(&["coder"], None, None);
        check(&["coder"], Some("painter"), None);
    }

    #[test]
    fn the_program_is_the_configured_one_or_the_drivers() {
        let mut agent = AgentSettings::of_driver(DriverName::Pi);
        assert_eq!(
            (agent.program(), agent.command_words()),
            ("pi", vec!["pi".to_owned()])
        );
        agent.command = ["npx", "pi"].map(str::to_owned).to_vec();
        assert_eq!(agent.program(), "npx");
        assert_eq!(agent.command_words(), ["npx", "pi"]);
    }
}
