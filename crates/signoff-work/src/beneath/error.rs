//! Why something beneath a directory could not be opened or read.

use std::error::Error;
use std::{fmt, io};

/// Why something beneath a directory could not be opened or read.
#[derive(Debug)]
pub enum OpenError {
    /// The path leads out of the directory.
    Outside,
    /// A part of the path is a link where none may be.
    Link,
    /// Too many links on the way.
    ManyLinks,
    /// A part of the path has a name that the caller refuses.
    Refused(String),
    /// It is a directory where a file is wanted.
    Directory,
    /// It is a pipe, a socket or a device.
    NoFile,
    /// It has more bytes than are read.
    TooLarge {
        /// How many are read.
        limit: u64,
    },
    /// It has more entries than are listed.
    TooMany {
        /// How many are listed.
        limit: usize,
    },
    /// The system said no.
    System(io::Error),
}

impl OpenError {
    /// Whether there is nothing at the path.
    pub fn is_absence(&self) -> bool {
        matches!(self, Self::System(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => f.write_str("it lies outside the workspace"),
            Self::Link => f.write_str("a part of its path is a symbolic link"),
            Self::ManyLinks => f.write_str("too many symbolic links are on its way"),
            Self::Refused(name) => write!(f, "it is in `{name}`, which may not be used"),
            Self::Directory => f.write_str("it is a directory"),
            Self::NoFile => f.write_str("it is not an ordinary file"),
            Self::TooLarge { limit } => write!(f, "it is larger than {limit} bytes"),
            Self::TooMany { limit } => write!(f, "it has more than {limit} entries"),
            Self::System(error) => error.fmt(f),
        }
    }
}

impl Error for OpenError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::System(error) => Some(error),
            Self::Outside
            | Self::Link
            | Self::ManyLinks
            | Self::Refused(_)
            | Self::Directory
            | Self::NoFile
            | Self::TooLarge { .. }
            | Self::TooMany { .. } => None,
        }
    }
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> Self {
        Self::System(error)
    }
}

impl From<OpenError> for io::Error {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::System(error) => error,
            error => Self::other(error),
        }
    }
}
