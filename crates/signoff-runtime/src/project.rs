//! The project a command works in: its store, its configuration, and what the process was started
//! with.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_plan::digest::Digest;
use signoff_plan::model::{Plan, Work};
use signoff_store::config::{Config, Layers, Source};
use signoff_store::disk_workspace::DiskWorkspace;
use signoff_store::root::{Store, discover};
use signoff_store::signatures::{self, Proof};
use signoff_store::terms::TermsContext;
use signoff_store::trust::projects::{self, ProjectStatus};
use signoff_store::trust::{self, TrustError};
use signoff_work::environment::Variables;
use signoff_work::prompt;
use signoff_work::secrets::Secrets;

use crate::error::Error;
use crate::terms::{called, deciding_files, signed_files};
use crate::{confinement, helpers, tools, trees};

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
        let store = discover(&around.directory)?.ok_or_else(|| Error::NoStore {
            from: around.directory.clone(),
        })?;
        let config = load_config(around, Some(&store))?;
        let rules = Rules::from(&config);
        Ok(Self {
            store,
            config,
            around: around.clone(),
            rules,
        })
    }

    /// What is told to nobody.
    pub fn secrets(&self) -> Secrets {
        let secrets = Secrets::of(&self.around.variables);
        secrets.add(&self.config.sandbox.redact.value);
        secrets
    }

    /// What the checks may ask about this project.
    pub fn workspace(&self) -> DiskWorkspace {
        workspace_at(self.store.workspace(), &self.around, &self.config)
    }

    /// The terms under which a plan would be signed now.
    pub fn terms(&self, plan: &Plan) -> Value {
        self.terms_with(plan, &deciding_files(plan, self.store.workspace()))
    }

    /// The present terms, to be compared with these signed ones: of files, only those that were
    /// there at signing count.
    pub fn terms_against(&self, plan: &Plan, signed: &Value) -> Value {
        self.terms_with(plan, &signed_files(signed, self.store.workspace()))
    }

    /// The present terms, to be compared with those of the newest signature of this plan, if there
    /// is one.
    pub(crate) fn present_terms(&self, plan: &Plan, key: &str) -> Result<Value, Error> {
        Ok(match signatures::newest(&self.store, key)? {
            Some(signed) => self.terms_against(plan, &signed.canonical_terms),
            None => self.terms(plan),
        })
    }

    fn terms_with(&self, plan: &Plan, files: &BTreeMap<String, String>) -> Value {
        let roles = roles(plan);
        let prompt = Digest::of_bytes(prompt::template().as_bytes()).to_string();
        let home = self.around.variables.get(OsStr::new("HOME"));
        let called = called(plan, &self.config, &tools::record(self));
        let grounds = TermsContext {
            path: &self.around.path(),
            home: home.map(Path::new).filter(|home| home.is_absolute()),
            prompt: &prompt,
            files,
            called: &called,
        };
        signoff_store::terms(&self.config, roles.iter().map(String::as_str), grounds)
    }

    /// Whether the project's configuration names commands, and a person has let them run, with the
    /// files of the project that they and the person's own commands run.
    pub fn trust(&self) -> Trust {
        let file = self.config.project.as_ref();
        let file = file.filter(|_| self.config.runs_project_commands());
        let state = self.around.state_dir.as_ref();
        let is_trusted = |file: &Source| {
            state.is_some_and(|state| trust::is_trusted(state, &file.path, &file.bytes))
        };
        if let Some(file) = file.filter(|file| !is_trusted(file)) {
            return Trust::Missing(file.path.clone());
        }
        match helpers::changed(self) {
            changed if !changed.is_empty() => Trust::Changed(changed),
            _ if file.is_some() => Trust::Given,
            _ => Trust::NotNeeded,
        }
    }

    /// What is known of this directory with the project's id, if it has one.
    pub fn id_status(&self) -> Result<(Option<String>, ProjectStatus), Error> {
        let id = self.store.project_id()?;
        let status = match (&id, &self.around.state_dir) {
            (Some(id), Some(state)) => projects::status(state, id, self.store.workspace())?,
            // Nothing is remembered where there is no home.
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
                from: self.around.directory.clone(),
            }),
        }
    }

    /// Remembers that this directory has the project's id: a copy of it is then known for one.
    pub fn remember_id(&self) -> Result<(), Error> {
        self.store.create_missing()?;
        if let (Some(id), Some(state)) = (self.store.project_id()?, &self.around.state_dir) {
            match projects::remember(state, &id, self.store.workspace()) {
                // A home that cannot be written to remembers nothing; that stops nobody.
                Ok(()) | Err(TrustError::File(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Refuses to run commands from a project's configuration that nobody looked at. The files that
    /// they run are compared at each start.
    pub fn require_config_trust(&self) -> Result<(), Error> {
        match self.trust() {
            Trust::NotNeeded | Trust::Given | Trust::Changed(_) => Ok(()),
            Trust::Missing(config) => Err(Error::Untrusted { config }),
        }
    }

    /// The same, and refuses files that they would run and that nobody looked at.
    pub fn require_trust(&self) -> Result<(), Error> {
        match self.trust() {
            Trust::NotNeeded | Trust::Given => Ok(()),
            Trust::Missing(config) => Err(Error::Untrusted { config }),
            Trust::Changed(differences) => Err(Error::HelpersChanged { differences }),
        }
    }
}

/// Whether the commands of a project's configuration may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// It names none.
    NotNeeded,
    /// A person has let this file's commands run, as it is now.
    Given,
    /// Nobody has let the commands of this file run.
    Missing(PathBuf),
    /// Files of the project that the commands run are not what the person trusted.
    Changed(Vec<String>),
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

/// Only makes names differ; two of one name are still told apart by their files.
pub(crate) fn random() -> u32 {
    use std::hash::{BuildHasher, Hasher};
    let mut hasher = std::hash::RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    u32::try_from(hasher.finish() & u64::from(u32::MAX)).unwrap_or(0)
}

/// The proof that a person is asked for when they sign: never less than what counts afterwards.
pub fn required_proof(project: &Project) -> Proof {
    project.config.approval.required_proof()
}

/// The least proof that counts when a plan is to run.
pub fn minimum_proof(project: &Project) -> Proof {
    project.config.approval.minimum.value
}

/// What the checks may ask about a directory, with or without a project.
pub fn workspace_at(root: &Path, around: &Surroundings, config: &Config) -> DiskWorkspace {
    let (mode, has_place) = (config.sandbox.mode.value, trees::has_place(around, root));
    DiskWorkspace::new(root, &around.path(), config)
        .with_mounts(move || has_place && confinement::mounts(mode))
}

/// The configuration in force, with or without a project.
pub fn load_config(around: &Surroundings, store: Option<&Store>) -> Result<Config, Error> {
    let pi = store.map(|store| store.workspace().join(".pi"));
    // Only a store of plans makes the file beside it ours to read.
    let pi = pi.filter(|pi| pi.join("plans").is_dir());
    let settings = around
        .variables
        .iter()
        .filter(|(name, _)| is_ours(name))
        .map(|(name, value)| (name.clone(), value.clone()));
    Ok(Config::load(&Layers {
        pi_store: pi.is_some(),
        user: around.user_config.clone(),
        pi: pi.map(|pi| pi.join("plans.json")),
        project: store.map(Store::config_path),
        home: around
            .variables
            .get(OsStr::new("HOME"))
            .map(PathBuf::from)
            .filter(|home| home.is_absolute()),
        environment: settings.collect(),
    })?)
}

fn is_ours(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"SIGNOFF_")
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
