//! A plan's file, read and checked.

use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_plan::Workspace;
use signoff_plan::check::{Checked, check};
use signoff_plan::dialect::parse;
use signoff_plan::digest::{Digest, canonical};
use signoff_plan::source::Source;

use crate::error::Error;
use crate::project::Project;

/// A plan as it is on disk now.
#[derive(Debug)]
pub struct PlanFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its bytes.
    pub source: Source,
    /// What the checks made of it.
    pub checked: Checked,
}

impl PlanFile {
    /// Reads and checks a file. `name` is how messages call it.
    pub fn read(path: &Path, name: &str, workspace: &dyn Workspace) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(|why| Error::Unreadable {
            path: path.to_owned(),
            why,
        })?;
        Ok(Self::from_bytes(path, name, bytes, workspace))
    }

    /// Checks bytes that were read before.
    pub fn from_bytes(path: &Path, name: &str, bytes: Vec<u8>, workspace: &dyn Workspace) -> Self {
        let source = Source::new(name, bytes);
        let checked = check(&parse(&source), workspace);
        Self {
            path: path.to_owned(),
            source,
            checked,
        }
    }

    /// The name under which the store knows it.
    pub fn key(&self, project: &Project) -> String {
        project
            .store
            .key_of(self.checked.plan.id.as_deref(), &self.path)
    }

    /// What a signature covers.
    pub fn canonical(&self) -> Value {
        canonical(&self.checked.plan)
    }

    /// Digest of [`PlanFile::canonical`].
    pub fn digest(&self) -> Digest {
        Digest::of_plan(&self.checked.plan)
    }
}

/// A workspace where everything exists: for reading a snapshot whose surroundings were checked when
/// it was signed and have moved on since.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Everything;

impl Workspace for Everything {
    fn path_exists(&self, _: &str) -> bool {
        true
    }

    fn topic_exists(&self, _: &str) -> bool {
        true
    }

    fn command_exists(&self, _: &str) -> bool {
        true
    }

    fn agent_exists(&self, _: &str) -> bool {
        true
    }

    fn agents(&self) -> Vec<String> {
        Vec::new()
    }
}
