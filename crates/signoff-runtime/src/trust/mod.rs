//! Whether a person has let the commands of a project's configuration run, with the files of the project that they run.

pub mod helpers;

use std::path::PathBuf;

use signoff_store::config::Source;
use signoff_store::trust;

use crate::error::Error;
use crate::project::Project;

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

impl Project {
    /// Whether the project's configuration names commands, and a person has let them run, with the
    /// files of the project that they and the person's own commands run.
    pub fn trust(&self) -> Trust {
        let file = self.config.project.as_ref();
        // What a run's copy of a project is configured with, the person signed.
        let is_own = self.cluster.is_none();
        let file = file.filter(|_| is_own && self.config.runs_project_commands());
        let state = self.process.state_dir.as_ref();
        let is_trusted = |file: &Source| {
            state.is_some_and(|state| trust::is_trusted(state, &file.path, &file.bytes))
        };
        if let Some(file) = file.filter(|file| !is_trusted(file)) {
            return Trust::Missing(file.path.clone());
        }
        match helpers::changed_files(self) {
            changed if !changed.is_empty() => Trust::Changed(changed),
            _ if file.is_some() => Trust::Given,
            _ => Trust::NotNeeded,
        }
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
