//! What the process was started with, and the configuration that follows from it.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use signoff_store::config::{ClusterUrl, Config, Layers};
use signoff_store::root::{Store, StoreKind};
use signoff_work::environment::Variables;

use super::Project;
use crate::cluster::RemoteRunAccess;
use crate::error::Error;
use crate::telemetry::Telemetry;

/// What the process was started with, read once by the CLI.
#[derive(Debug, Clone)]
pub struct ProcessContext {
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
    /// What is outside of this machine.
    pub services: ExternalServices,
}

/// Services outside of this machine: the cluster that shares runs, and telemetry.
#[derive(Debug, Clone, Default)]
pub struct ExternalServices {
    /// The database that the command names, in place of the configured one.
    pub url: Option<ClusterUrl>,
    /// Reaches the cluster through the database that a project's configuration names; `None` in a build without it.
    pub connect: Option<ConnectRuns>,
    /// Receives the events of runs; `None` in a build without telemetry, or if none is configured.
    pub telemetry: Option<Arc<dyn Telemetry>>,
}

/// Reaches the runs of a project that other machines drive.
pub type ConnectRuns = fn(&Project) -> Arc<dyn RemoteRunAccess>;

impl ProcessContext {
    /// The PATH the process was started with.
    pub fn path(&self) -> std::ffi::OsString {
        self.variables
            .get(std::ffi::OsStr::new("PATH"))
            .cloned()
            .unwrap_or_default()
    }
}

/// The configuration in force, with or without a project.
pub fn load_config(process: &ProcessContext, store: Option<&Store>) -> Result<Config, Error> {
    Ok(Config::load(&config_layers(process, store))?)
}

/// What the configuration is read from.
pub(super) fn config_layers(process: &ProcessContext, store: Option<&Store>) -> Layers {
    // The file beside it is read only if there is a store of plans.
    let pi = store.filter(|store| store.kind() == StoreKind::Pi);
    let pi = pi.map(|store| store.workspace().join(".pi"));
    let settings = process
        .variables
        .iter()
        .filter(|(name, _)| is_ours(name))
        .map(|(name, value)| (name.clone(), value.clone()));
    Layers {
        pi_store: pi.is_some(),
        user: process.user_config.clone(),
        pi: pi.map(|pi| pi.join("plans.json")),
        project: store.map(Store::config_path),
        home: process
            .variables
            .get(OsStr::new("HOME"))
            .map(PathBuf::from)
            .filter(|home| home.is_absolute()),
        environment: settings.collect(),
    }
}

fn is_ours(name: &OsStr) -> bool {
    name.as_bytes().starts_with(b"SIGNOFF_")
}
