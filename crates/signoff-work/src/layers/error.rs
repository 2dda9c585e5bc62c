//! Why a layer could not be read.

use std::error::Error;
use std::{fmt, io};

use crate::git::{GitError, is_of_machine, text};

/// Why a layer could not be recorded. A recording is complete or it fails.
#[derive(Debug)]
pub enum LayerError {
    /// Something that no commit can hold.
    Special {
        /// Where, relative to the layer.
        path: Vec<u8>,
        /// `a pipe`, `a socket`, `a device`.
        kind: &'static str,
    },
    /// A name that git has in no commit.
    Name {
        /// Where.
        path: Vec<u8>,
    },
    /// Something could not be read.
    Read {
        /// Where.
        path: Vec<u8>,
        /// Why not.
        error: io::Error,
    },
    /// The overlay keeps it elsewhere.
    Redirected {
        /// Where.
        path: Vec<u8>,
    },
    /// There is more than is read.
    Limit {
        /// What went beyond the limit.
        path: Vec<u8>,
        /// Which limit, such as `1000000 files and directories`.
        limit: String,
    },
    /// Somebody wrote to it while it was read.
    ChangedMeanwhile {
        /// Where.
        path: Vec<u8>,
    },
    /// Git could not do its part.
    Git(GitError),
}

impl LayerError {
    /// Is it caused by what somebody put into the layer? Everything else is between the harness, git and the machine.
    pub fn is_about_content(&self) -> bool {
        match self {
            Self::Special { .. }
            | Self::Name { .. }
            | Self::Redirected { .. }
            | Self::Limit { .. }
            | Self::ChangedMeanwhile { .. } => true,
            Self::Read { error, .. } => !is_of_machine(error),
            Self::Git(error) => error.is_about_content(),
        }
    }

    /// For `map_err`: the path that an operation failed on.
    pub(super) fn read<E: Into<io::Error>>(path: &[u8]) -> impl FnOnce(E) -> Self + use<E> {
        let path = path.to_vec();
        move |error| Self::Read {
            path,
            error: error.into(),
        }
    }
}

impl From<GitError> for LayerError {
    fn from(error: GitError) -> Self {
        Self::Git(error)
    }
}

impl fmt::Display for LayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Special { path, kind } => write!(
                f,
                "`{}` is {kind}, which cannot be recorded; remove it or put it below an ignored directory",
                text(path)
            ),
            Self::Name { path } => write!(f, "`{}`: git does not record this name", text(path)),
            Self::Read { path, error } if path.is_empty() => {
                write!(f, "the layer cannot be read: {error}")
            }
            Self::Read { path, error } => write!(f, "`{}` cannot be read: {error}", text(path)),
            Self::Redirected { path } => write!(
                f,
                "`{}` was moved in a way that keeps its content elsewhere, which cannot be recorded",
                text(path)
            ),
            Self::Limit { path, limit } => {
                write!(f, "more than {limit} were changed, at `{}`", text(path))
            }
            Self::ChangedMeanwhile { path } => {
                write!(f, "`{}` changed while it was read", text(path))
            }
            Self::Git(error) => error.fmt(f),
        }
    }
}

impl Error for LayerError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Read { error, .. } => Some(error),
            Self::Git(error) => Some(error),
            Self::Special { .. }
            | Self::Name { .. }
            | Self::Redirected { .. }
            | Self::Limit { .. }
            | Self::ChangedMeanwhile { .. } => None,
        }
    }
}
