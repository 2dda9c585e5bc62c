//! Where the threads of a session are, as the environment says.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::Planning;
use crate::error::{Error, ThreadError};
use crate::project::ProcessContext;

/// Names the session.
pub const SESSION: &str = "AGENTCTL_SESSION_ID";
/// Where the directories are.
pub const ROOT: &str = "AGENTFLOW_PLANS_DIR";

impl Planning {
    /// The threads of this session, or else of the one that the environment names.
    pub fn of_process(process: &ProcessContext, session: Option<&str>) -> Result<Self, Error> {
        let session = session_id(process, session)?;
        Self::open(&root(process)?, &session)
    }

    /// The session's id.
    pub fn session_id(&self) -> &str {
        self.session.as_str()
    }
}

fn session_id(process: &ProcessContext, named: Option<&str>) -> Result<String, Error> {
    if let Some(named) = named {
        return Ok(named.to_owned());
    }
    let value = process.variables.get(OsStr::new(SESSION));
    let value = value.filter(|value| !value.is_empty());
    // A value that is not UTF-8 is refused as a bad id.
    let value = value.map(|value| value.to_string_lossy().into_owned());
    Ok(value.ok_or(ThreadError::NoSession)?)
}

/// The directory that holds the directories of all threads.
fn root(process: &ProcessContext) -> Result<PathBuf, Error> {
    let get = |name: &str| {
        let value = process.variables.get(OsStr::new(name));
        value.filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    let (variable, path) = match get(ROOT) {
        Some(path) => (ROOT, Some(path)),
        None => (
            "HOME",
            get("HOME").map(|home| home.join(".agentflow/plans")),
        ),
    };
    // A relative path would depend on the current directory.
    let path = path.filter(|path| path.is_absolute());
    Ok(path.ok_or(ThreadError::NoPlansDir { variable })?)
}
