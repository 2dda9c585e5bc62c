//! Settings: built-in, then the user's file, then the project's, then the environment; each may
//! change what came before, and the last two may only tighten what protects the user.
//!
//! Strict: everything that this version does not know is reported with its place, and all problems of all layers at
//! once. Start reading at [`Config::load`], then `config/key.rs`, the table of all settings.

mod environment;
mod key;
mod layer;
mod listing;
mod origin;
mod pi;
mod problem;
mod read;
mod rules;
mod sections;
mod value;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

pub use self::listing::{SettingEntry, UnknownKey};
pub use self::origin::{Origin, Setting, SettingLocation};
pub use self::problem::{ConfigErrors, Problem};
pub use self::sections::cluster::{ClusterSettings, ClusterUrl};
pub use self::sections::driver::{AgentSettings, DriverName, RetrySession, find_agent};
pub use self::sections::guard::GuardSettings;
pub use self::sections::llm::{LlmSettings, ModelProvider};
pub use self::sections::policy::Policy;
pub use self::sections::prices::{Dollars, PriceSettings};
pub use self::sections::serve::ServeSettings;
pub use self::sections::worktree::{Isolation, LandMode};
pub use self::sections::{
    AcceptTime, ApprovalSettings, ContractCache, ContractSettings, Durability, GreenBaseline,
    IgnoredFiles, NotifySettings, PlansSettings, RunSettings, SandboxMode, SandboxSettings,
    ServerSettings, UnverifiedPolicy,
};
use crate::signatures::Proof;

/// What to read, lowest first; a file that does not exist changes nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layers {
    /// A plan that was approved in a `.pi` store runs at once, as its users know it.
    pub pi_store: bool,
    pub user: Option<PathBuf>,
    /// `.pi/plans.json`
    pub pi: Option<PathBuf>,
    pub project: Option<PathBuf>,
    /// The person's home: a project's commands must not name anything in it.
    pub home: Option<PathBuf>,
    /// Variables of the process; only `SIGNOFF_SECTION_KEY` are read.
    pub environment: BTreeMap<OsString, OsString>,
}

/// The contents of the layers' files: together with the layers, everything that a configuration is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerFiles {
    user: FileContent,
    pi: FileContent,
    project: FileContent,
}

/// A file's bytes if it exists, or why it cannot be read.
type FileContent = Result<Option<Vec<u8>>, String>;

impl Layers {
    /// Reads the files.
    pub fn read(&self) -> LayerFiles {
        let read = |path: &Option<PathBuf>, origin| match path {
            Some(path) => layer::read_limited(path, origin),
            None => Ok(None),
        };
        LayerFiles {
            user: read(&self.user, Origin::User),
            pi: read(&self.pi, Origin::Pi),
            project: read(&self.project, Origin::Project),
        }
    }
}

/// Everything that is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    pub plans: PlansSettings,
    pub approval: ApprovalSettings,
    pub run: RunSettings,
    pub contract: ContractSettings,
    pub sandbox: SandboxSettings,
    pub llm: LlmSettings,
    pub notify: NotifySettings,
    pub guard: GuardSettings,
    pub serve: ServeSettings,
    pub engine: ClusterSettings,
    /// By role name.
    pub agents: BTreeMap<String, Setting<AgentSettings>>,
    /// What models cost, by the model's name; other models cost what the built-in table says.
    pub prices: BTreeMap<String, Setting<PriceSettings>>,
    /// Tool servers, by name.
    pub servers: BTreeMap<String, Setting<ServerSettings>>,
    /// Settings that have no effect here, and are not mistakes.
    pub notes: Vec<Problem>,
    /// The project's file exactly as it was read: what a person has to trust.
    pub project: Option<Source>,
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl Config {
    /// Reads the layers, lowest first.
    pub fn load(layers: &Layers) -> Result<Self, ConfigErrors> {
        Self::of(layers, &layers.read())
    }

    /// The configuration that these files make.
    pub fn of(layers: &Layers, files: &LayerFiles) -> Result<Self, ConfigErrors> {
        let mut config = Self::default();
        let mut problems = Vec::new();
        config.approval.then_run.value = layers.pi_store;
        if let Some(path) = &layers.user {
            let file = (path.as_path(), &files.user);
            layer::apply(&mut config, file, Origin::User, None, &mut problems);
        }
        if let Some(path) = &layers.pi {
            pi::apply(&mut config, (path, &files.pi), &mut problems);
        }
        if let Some(path) = &layers.project {
            let home = layers.home.as_deref();
            let file = (path.as_path(), &files.project);
            layer::apply(&mut config, file, Origin::Project, home, &mut problems);
        }
        environment::apply(&mut config, &layers.environment, &mut problems);
        problems.extend(rules::conflicts::conflicts(&config));
        let idle = sections::guard::idle_list(&config);
        config.notes.extend(idle);
        if problems.is_empty() {
            return Ok(config);
        }
        Err(ConfigErrors { problems })
    }

    /// The agent that a name in a plan means, or that a step without a name gets; see [`find_agent`].
    pub fn agent_for_role(&self, role: Option<&str>) -> Option<(&str, &AgentSettings)> {
        find_agent(&self.agents, role)
    }

    /// Whether a command that would be run comes from the project's file, which a person must
    /// therefore trust first.
    pub fn runs_project_commands(&self) -> bool {
        let from_project = |origin| origin == Origin::Project;
        from_project(self.contract.shell.origin)
            || (from_project(self.notify.command.origin) && !self.notify.command.value.is_empty())
            || (from_project(self.run.prepare.origin) && !self.run.prepare.value.is_empty())
            || self.agents.values().any(|agent| from_project(agent.origin))
            || self
                .servers
                .values()
                .any(|server| from_project(server.origin))
    }
}

#[cfg(test)]
mod tests;
