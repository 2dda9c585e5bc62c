//! Errors about the files of agents.

use std::path::PathBuf;

use super::Error;

/// Why an agent was not connected; nothing was written, unless a file could not be written any more.
#[derive(Debug)]
pub enum ConnectError {
    /// There is no home to find or keep anything in.
    NoHome,
    /// A file cannot be edited.
    Refused {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
        /// What a person can put there.
        paste: Option<String>,
    },
}

impl std::fmt::Display for ConnectError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoHome => {
                f.write_str("there is no home directory to find an agent's settings in")
            }
            Self::Refused { path, why, .. } => write!(f, "{} is not edited: {why}", path.display()),
        }
    }
}

impl From<ConnectError> for Error {
    fn from(error: ConnectError) -> Self {
        Self::Connect(Box::new(error))
    }
}
