//! Why a tree cannot be recorded.

use std::error::Error;
use std::path::PathBuf;
use std::{fmt, io};

/// Why a tree cannot be recorded. Paths are relative to its root.
#[derive(Debug)]
pub enum TreeError {
    /// Something cannot be listed or read.
    Unreadable {
        /// Where.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// A pipe, a socket, a device or a link is where git reads a file: git would wait for it, or leave the tree.
    NoFile {
        /// Where.
        path: PathBuf,
    },
    /// A `.git` file leads to a repository outside of the tree.
    Outside {
        /// Which file.
        path: PathBuf,
    },
    /// There are more files and directories than are read.
    TooMany {
        /// How many are.
        limit: u64,
    },
    /// One file is larger than is read.
    TooLarge {
        /// Which one.
        path: PathBuf,
        /// Its size.
        size: u64,
        /// What is read.
        limit: u64,
    },
    /// All files together are larger than is read.
    TooMuch {
        /// What is read.
        limit: u64,
    },
    /// Directories are nested too deep.
    TooDeep {
        /// Where it is too deep.
        path: PathBuf,
    },
    /// The run is being stopped.
    Stopped,
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { path, error } => {
                write!(f, "`{}` cannot be read: {error}", path.display())
            }
            Self::NoFile { path } => write!(
                f,
                "`{}` is not an ordinary file, but git would read it; remove it",
                path.display()
            ),
            Self::Outside { path } => write!(
                f,
                "`{}` leads to a repository outside of the tree; remove it",
                path.display()
            ),
            Self::TooMany { limit } => write!(f, "the tree has more than {limit} files"),
            Self::TooLarge { path, size, limit } => write!(
                f,
                "`{}` has {size} bytes, more than the {limit} that are read of one file",
                path.display()
            ),
            Self::TooMuch { limit } => {
                write!(f, "the tree's files have more than {limit} bytes in all")
            }
            Self::TooDeep { path } => {
                // Such a path would fill pages.
                let path = path.to_string_lossy();
                let start: String = path.chars().take(80).collect();
                write!(f, "`{start}…` lies too deep for git to look into it")
            }
            Self::Stopped => f.write_str("it was stopped"),
        }
    }
}

impl Error for TreeError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unreadable { error, .. } => Some(error),
            Self::NoFile { .. }
            | Self::Outside { .. }
            | Self::TooMany { .. }
            | Self::TooLarge { .. }
            | Self::TooMuch { .. }
            | Self::TooDeep { .. }
            | Self::Stopped => None,
        }
    }
}
