//! Why a file was not replaced.

use std::error::Error;
use std::fmt;
use std::path::PathBuf;

use crate::files::FileError;

/// Why a file was not replaced; it is as it was.
#[derive(Debug)]
pub enum ReplaceError {
    /// Another process wrote, created or deleted the file since it was read.
    Changed {
        path: PathBuf,
    },
    /// A directory, device or pipe has this name.
    NotAFile {
        path: PathBuf,
    },
    File(FileError),
}

impl From<FileError> for ReplaceError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl fmt::Display for ReplaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { path } => write!(
                f,
                "`{}` was changed by somebody else since it was read; nothing was written",
                path.display()
            ),
            Self::NotAFile { path } => write!(f, "`{}` is not a regular file", path.display()),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl Error for ReplaceError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Changed { .. } | Self::NotAFile { .. } => None,
            Self::File(error) => Some(error),
        }
    }
}
