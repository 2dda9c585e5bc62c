//! The project a command works in: its store, its configuration, and what the process was started
//! with.

pub(crate) mod agents;
pub mod careful_git;
pub(crate) mod current_task;
pub(crate) mod directories;
mod fingerprint;
pub(crate) mod locks;
mod process_context;
mod project_cache;
pub(crate) mod sandbox_level;
pub(crate) mod secret_command;
mod shell_path;
pub mod uncommitted;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use signoff_plan::model::{Plan, Work};
use signoff_store::config::Config;
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::index::{Index, KeptIndex};
use signoff_store::root::{Store, discover};
use signoff_store::signatures::Proof;
use signoff_store::trust::TrustError;
use signoff_store::trust::projects::{self, ProjectStatus};
pub use signoff_work::secrets::Secrets;

pub use self::agents::require_role;
pub use self::fingerprint::ProjectFingerprint;
pub use self::process_context::{ConnectRuns, ExternalServices, ProcessContext, load_config};
pub use self::project_cache::CachedProject;
pub(crate) use self::project_cache::CachedValues;
pub use self::shell_path::persons_path;
use crate::cluster::{Cluster, RemoteRunAccess};
use crate::error::Error;

/// A project with a store.
#[derive(Debug, Clone)]
pub struct Project {
    /// `.signoff/`.
    pub store: Store,
    /// Settings in force.
    pub config: Config,
    /// What the process was started with.
    pub process: ProcessContext,
    /// What the configuration says about the life of plans.
    pub rules: Rules,
    index_settings: OnceLock<String>,
    /// The machines that share the run which this copy of a project is for.
    pub cluster: Option<Arc<dyn Cluster>>,
    /// Reaches the runs of this project that other machines drive.
    pub elsewhere: Option<Arc<dyn RemoteRunAccess>>,
    /// Only of a project that is kept between calls.
    pub(crate) kept_index: Option<Arc<KeptIndex>>,
    /// The same.
    pub(crate) kept_values: Option<Arc<CachedValues>>,
}

/// The store of the working directory.
fn find_store(process: &ProcessContext) -> Result<Store, Error> {
    discover(&process.directory)?.ok_or_else(|| Error::NoStore {
        from: process.directory.clone(),
    })
}

impl Project {
    /// Finds the store from the working directory and reads the configuration.
    pub fn open(process: &ProcessContext) -> Result<Self, Error> {
        let store = find_store(process)?;
        let config = load_config(process, Some(&store))?;
        Ok(Self::with_config(process, store, config))
    }

    fn with_config(process: &ProcessContext, store: Store, mut config: Config) -> Self {
        if let Some(url) = &process.services.url {
            config.engine.url.value = url.clone();
        }
        let is_shared = config.engine.url.value.address().is_some();
        let mut project = Self {
            rules: Rules::from(&config),
            store,
            config,
            process: process.clone(),
            index_settings: OnceLock::new(),
            cluster: None,
            elsewhere: None,
            kept_index: None,
            kept_values: None,
        };
        let connect = process.services.connect.filter(|_| is_shared);
        project.elsewhere = connect.map(|connect| connect(&project));
        project
    }

    /// Everything besides files that decides what an index of plans says. Not the PATH, although checks ask for
    /// commands: every shell has its own; where it counts, the entry knows it.
    pub(crate) fn index_settings(&self) -> &str {
        let version = env!("CARGO_PKG_VERSION");
        self.index_settings
            .get_or_init(|| Index::digest_of(&format!("{version}\n{:?}", self.config)))
    }

    /// The values that are never shown.
    pub fn secrets(&self) -> Secrets {
        let secrets = Secrets::of(&self.process.variables);
        secrets.add(&self.config.sandbox.redact.value);
        secrets
    }

    /// What the checks may ask about this project.
    pub fn workspace(&self) -> DiskWorkspace {
        workspace_at(self.store.workspace(), &self.process, &self.config)
    }

    /// The project's id, if it has one, and whether this directory is known by it.
    pub fn id_status(&self) -> Result<(Option<String>, ProjectStatus), Error> {
        let id = self.store.project_id()?;
        if self.cluster.is_some() {
            // This machine's user lists the projects that it takes part in.
            return Ok((id, ProjectStatus::Known));
        }
        let status = match (&id, &self.process.state_dir) {
            (Some(id), Some(state)) => projects::status(state, id, self.store.workspace())?,
            // Without a home nothing is recorded.
            _ => ProjectStatus::First,
        };
        Ok((id, status))
    }

    /// The project's id, made if there is none. Refuses a copy that nobody trusted: what is signed
    /// there would not count.
    pub(crate) fn require_id(&self) -> Result<String, Error> {
        self.store.create_missing()?;
        match self.id_status()? {
            (_, ProjectStatus::Copy { of }) => Err(Error::CopiedProject { of }),
            (Some(id), ProjectStatus::Known | ProjectStatus::First) => Ok(id),
            (None, _) => Err(Error::NoStore {
                from: self.process.directory.clone(),
            }),
        }
    }

    /// Remembers that this directory has the project's id, so that a copy can be recognized.
    pub fn remember_id(&self) -> Result<(), Error> {
        self.store.create_missing()?;
        if let (Some(id), Some(state)) = (self.store.project_id()?, &self.process.state_dir) {
            match projects::remember(state, &id, self.store.workspace()) {
                // A home that cannot be written to records nothing; that is not an error.
                Ok(()) | Err(TrustError::File(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// What the configuration says about the life of plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// After so many days without a change a plan that waits is cancelled.
    pub stale_after_days: u64,
    /// As many rejections ask a person to look at the plan.
    pub max_rejections: u64,
    /// A run whose process has written nothing for so long counts as stalled.
    pub silent_minutes: u64,
    /// After so many days a plan that is finished moves to the archive.
    pub archive_after_days: u64,
    /// After so many days in the archive `prune` deletes a plan.
    pub prune_after_days: u64,
}

impl From<&Config> for Rules {
    fn from(config: &Config) -> Self {
        Self {
            stale_after_days: config.plans.stale_after_days.value.into(),
            max_rejections: config.plans.max_rejections.value.into(),
            silent_minutes: config.plans.executor_timeout_minutes.value.into(),
            archive_after_days: config.plans.archive_after_days.value.into(),
            prune_after_days: config.plans.prune_after_days.value.into(),
        }
    }
}

/// A path as records have it: without links and `..`, and from the workspace, where it lies inside.
pub(crate) fn relative(project: &Project, path: &Path) -> String {
    project.store.relative(path)
}

/// A number that makes names differ. It need not be unique: callers notice a taken name.
pub fn random() -> u32 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    u32::try_from(hasher.finish() >> 32).expect("the upper half has 32 bits")
}

/// The proof that a person is asked for when they sign: never less than what counts afterwards.
pub fn required_proof(project: &Project) -> Proof {
    project.config.approval.required_proof()
}

/// The least proof that counts when a plan is to run.
pub fn minimum_proof(project: &Project) -> Proof {
    let configured = project.config.approval.minimum.value;
    match project.cluster {
        // Whoever can write to the database can claim anything that needs no key.
        Some(_) => configured.max(Proof::Key),
        None => configured,
    }
}

/// What the checks may ask about a directory, with or without a project.
pub fn workspace_at(root: &Path, process: &ProcessContext, config: &Config) -> DiskWorkspace {
    let (mode, has_data_directory) = (
        config.sandbox.mode.value,
        directories::has_data_directory(process, root),
    );
    DiskWorkspace::new(root, &process.path(), config)
        .with_mounts(move || has_data_directory && sandbox_level::can_mount(mode))
}

/// Names of the agents a plan uses, also to read what others did; steps without one use `default`.
pub(crate) fn roles(plan: &Plan) -> BTreeSet<String> {
    let reviewers = plan.steps.iter().filter_map(|step| step.reviewer.clone());
    plan.steps
        .iter()
        .filter_map(|step| match &step.work {
            Work::Agent { role, .. } => Some(role.clone().unwrap_or_else(|| "default".to_owned())),
            Work::Tool { .. } | Work::Ask { .. } | Work::Check => None,
        })
        .chain(reviewers)
        .collect()
}
