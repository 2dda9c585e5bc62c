//! Where the threads of a session are, as the environment says.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use signoff_work::environment::Variables;

use super::Planning;
use crate::error::{Error, ThreadError};
use crate::project::ProcessContext;

/// Names the session.
pub const SESSION_VARIABLE: &str = ThreadError::SESSION_VARIABLE;
/// Says where the directories of threads are, instead of in the home.
pub const ROOT_VARIABLE: &str = "AGENTFLOW_PLANS_DIR";

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
    let value = value(&process.variables, SESSION_VARIABLE);
    // A value that is not UTF-8 is refused as a bad id.
    let value = value.map(|value| value.to_string_lossy().into_owned());
    Ok(value.ok_or(ThreadError::NoSession)?)
}

fn root(process: &ProcessContext) -> Result<PathBuf, Error> {
    let variables = &process.variables;
    let is_named = value(variables, ROOT_VARIABLE).is_some();
    let variable = if is_named { ROOT_VARIABLE } else { "HOME" };
    Ok(plans_root(variables).ok_or(ThreadError::NoPlansDir { variable })?)
}

/// The directory that holds the directories of all threads. A relative path would depend on the current directory.
pub fn plans_root(variables: &Variables) -> Option<PathBuf> {
    let root = match value(variables, ROOT_VARIABLE) {
        Some(path) => PathBuf::from(path),
        None => Path::new(value(variables, "HOME")?).join(".agentflow/plans"),
    };
    Some(root).filter(|path| path.is_absolute())
}

fn value<'v>(variables: &'v Variables, name: &str) -> Option<&'v OsString> {
    let value = variables.get(OsStr::new(name));
    value.filter(|value| !value.is_empty())
}
