//! Settings: built-in, then the user's file, then the project's; each may change what came before.
//!
//! Strict: whatever this version does not honour is a problem with its place, and all problems of
//! all files are reported at once.

mod agents;
mod layer;
mod placeholder;
mod problem;
mod read;
mod value;

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

pub use self::problem::{ConfigErrors, Problem};

/// The files to read; one that does not exist changes nothing.
#[derive(Debug, Clone, Default)]
pub struct Layers {
    pub user: Option<PathBuf>,
    pub project: Option<PathBuf>,
}

/// Which layer a value came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    BuiltIn,
    User,
    Project,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BuiltIn => "built-in",
            Self::User => "user",
            Self::Project => "project",
        })
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    pub value: T,
    pub origin: Origin,
}

impl<T> Setting<T> {
    fn built_in(value: T) -> Self {
        Self {
            value,
            origin: Origin::BuiltIn,
        }
    }
}

/// Everything that is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub run: Run,
    pub contract: Contract,
    pub sandbox: Sandbox,
    /// By role name.
    pub agents: BTreeMap<String, Setting<Agent>>,
    /// The project's file exactly as it was read: what a person has to trust.
    pub project: Option<Source>,
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// `[run]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// How long the work of a step may take, where the step does not say.
    pub step_timeout: Setting<Duration>,
    /// The wait before the first retry; later ones wait longer.
    pub backoff: Setting<Duration>,
}

/// `[contract]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    pub shell: Setting<String>,
    pub timeout: Setting<Duration>,
    pub baseline: Setting<bool>,
}

/// `[sandbox]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sandbox {
    /// Names of the variables that agents and contracts get to see.
    pub env: Setting<Vec<String>>,
}

/// `[agents.NAME]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub driver: Driver,
    /// Program and arguments, with placeholders.
    pub command: Vec<String>,
}

/// How an agent is started and spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    Command,
}

impl Driver {
    pub fn name(self) -> &'static str {
        match self {
            Self::Command => "command",
        }
    }
}

/// What the settings are where no file says otherwise.
impl Default for Config {
    fn default() -> Self {
        let ten_minutes = Duration::from_mins(10);
        let env = ["PATH", "LANG", "TERM", "HOME"].map(str::to_owned);
        Self {
            run: Run {
                step_timeout: Setting::built_in(ten_minutes),
                backoff: Setting::built_in(Duration::from_secs(1)),
            },
            contract: Contract {
                shell: Setting::built_in("bash".to_owned()),
                timeout: Setting::built_in(ten_minutes),
                baseline: Setting::built_in(true),
            },
            sandbox: Sandbox {
                env: Setting::built_in(env.to_vec()),
            },
            agents: BTreeMap::new(),
            project: None,
        }
    }
}

impl Config {
    /// Reads the layers, lowest first.
    pub fn load(layers: Layers) -> Result<Self, ConfigErrors> {
        let Layers { user, project } = layers;
        let mut config = Self::default();
        let mut problems = Vec::new();
        if let Some(path) = &user {
            layer::apply(&mut config, path, Origin::User, &mut problems);
        }
        if let Some(path) = &project {
            layer::apply(&mut config, path, Origin::Project, &mut problems);
        }
        if problems.is_empty() {
            return Ok(config);
        }
        Err(ConfigErrors { problems })
    }

    /// The agent for a role: the one of that name, else `default`. Its name comes with it.
    pub fn agent(&self, name: Option<&str>) -> Option<(&str, &Agent)> {
        name.and_then(|name| self.agents.get_key_value(name))
            .or_else(|| self.agents.get_key_value("default"))
            .map(|(name, agent)| (name.as_str(), &agent.value))
    }

    /// Whether a command that would be run comes from the project's file, which a person must
    /// therefore trust first.
    pub fn runs_project_commands(&self) -> bool {
        let from_project = |origin| origin == Origin::Project;
        from_project(self.contract.shell.origin)
            || self.agents.values().any(|agent| from_project(agent.origin))
    }
}

#[cfg(test)]
mod tests;
