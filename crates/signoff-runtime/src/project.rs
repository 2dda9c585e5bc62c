//! The project a command works in: its store, its configuration, and what the process was started
//! with.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_plan::model::{Plan, Work};
use signoff_store::config::{Config, Layers};
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::root::{Store, discover};
use signoff_store::trust;
use signoff_work::environment::Variables;

use crate::error::Error;

/// What the process was started with, read once by the CLI.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// Environment variables.
    pub variables: Variables,
    /// Working directory.
    pub directory: PathBuf,
    /// The user's own configuration file, whether it exists or not.
    pub user_config: Option<PathBuf>,
    /// Where the user's trust decisions are kept; without a home there is no such place, and nothing
    /// is trusted.
    pub state_dir: Option<PathBuf>,
    /// Name of the person at the keyboard.
    pub person: String,
}

impl Surroundings {
    /// The PATH the process was started with.
    pub fn path(&self) -> std::ffi::OsString {
        self.variables
            .get(std::ffi::OsStr::new("PATH"))
            .cloned()
            .unwrap_or_default()
    }
}

/// A project with a store.
#[derive(Debug, Clone)]
pub struct Project {
    /// `.signoff/`.
    pub store: Store,
    /// Settings in force.
    pub config: Config,
    /// What the process was started with.
    pub around: Surroundings,
    /// What the configuration says about the life of plans.
    pub rules: Rules,
}

impl Project {
    /// Finds the store from the working directory and reads the configuration.
    pub fn open(around: &Surroundings) -> Result<Self, Error> {
        let store = discover(&around.directory).ok_or_else(|| Error::NoStore {
            from: around.directory.clone(),
        })?;
        let config = load_config(around, Some(&store))?;
        Ok(Self {
            store,
            config,
            around: around.clone(),
            rules: Rules::default(),
        })
    }

    /// What the checks may ask about this project.
    pub fn workspace(&self) -> DiskWorkspace {
        DiskWorkspace::new(self.store.workspace(), &self.around.path(), &self.config)
    }

    /// The terms a plan runs under.
    pub fn terms(&self, plan: &Plan) -> Value {
        let roles = roles(plan);
        signoff_store::terms(&self.config, roles.iter().map(String::as_str))
    }

    /// Refuses to run commands from a project's configuration that nobody looked at.
    pub fn require_trust(&self) -> Result<(), Error> {
        let Some(file) = self
            .config
            .project
            .as_ref()
            .filter(|_| self.config.runs_project_commands())
        else {
            return Ok(());
        };
        let state = self.around.state_dir.as_ref();
        if state.is_some_and(|state| trust::is_trusted(state, &file.path, &file.bytes)) {
            return Ok(());
        }
        Err(Error::Untrusted {
            config: file.path.clone(),
        })
    }
}

/// What the configuration says about the life of plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// After so many days without a change a plan that waits is cancelled.
    pub stale_after_days: u64,
    /// As many rejections ask a person to look at the plan.
    pub max_rejections: u64,
    /// After so many days a plan that is finished moves to the archive.
    pub archive_after_days: u64,
    /// After so many days in the archive `prune` deletes a plan.
    pub prune_after_days: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            stale_after_days: 30,
            max_rejections: 3,
            archive_after_days: 90,
            prune_after_days: 365,
        }
    }
}

/// A path as records have it: from the workspace, where it lies inside.
pub(crate) fn relative(project: &Project, path: &Path) -> String {
    path.strip_prefix(project.store.workspace())
        .unwrap_or(path)
        .to_string_lossy()
        .into_owned()
}

/// Only makes names differ; two of one name are still told apart by their files.
pub(crate) fn random() -> u32 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    u32::try_from(hasher.finish() & u64::from(u32::MAX)).unwrap_or(0)
}

/// The configuration in force, with or without a project.
pub fn load_config(around: &Surroundings, store: Option<&Store>) -> Result<Config, Error> {
    Ok(Config::load(Layers {
        user: around.user_config.clone(),
        project: store.map(Store::config_path),
    })?)
}

/// Names of the agents a plan uses; steps without one use `default`.
pub(crate) fn roles(plan: &Plan) -> BTreeSet<String> {
    plan.steps
        .iter()
        .filter_map(|step| match &step.work {
            Work::Agent { role, .. } => Some(role.clone().unwrap_or_else(|| "default".to_owned())),
            Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
        })
        .collect()
}
