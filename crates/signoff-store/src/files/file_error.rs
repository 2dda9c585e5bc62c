//! An operation on one file that the system refused.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

/// What was tried, on which path, and what the system said.
#[derive(Debug)]
pub struct FileError {
    /// A verb that completes "cannot …".
    pub operation: &'static str,
    pub path: PathBuf,
    pub source: io::Error,
}

impl FileError {
    /// For `map_err`: `File::open(path).map_err(FileError::at("open", path))?`.
    pub(crate) fn at(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self {
            operation,
            path,
            source,
        }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            operation,
            path,
            source,
        } = self;
        write!(f, "cannot {operation} `{}`: {source}", path.display())
    }
}

impl Error for FileError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.source)
    }
}
