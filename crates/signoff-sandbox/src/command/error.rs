//! Why a command did not start.

use std::error::Error;
use std::ffi::OsString;
use std::{fmt, io};

/// Why a command did not start. Nothing of it ran.
#[derive(Debug)]
pub enum StartError {
    /// There is no such program, at its path or in the `PATH` of the command.
    NotFound { program: OsString },
    /// The program exists, but the system refuses to execute it.
    NotExecutable { program: OsString },
    /// Anything else. The message says what failed.
    Io(io::Error),
}

impl fmt::Display for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { program } => write!(f, "program `{}` not found", program.display()),
            Self::NotExecutable { program } => {
                write!(f, "program `{}` is not executable", program.display())
            }
            Self::Io(error) => write!(f, "the command did not start: {error}"),
        }
    }
}

impl Error for StartError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::NotFound { .. } | Self::NotExecutable { .. } => None,
            Self::Io(error) => Some(error),
        }
    }
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}
