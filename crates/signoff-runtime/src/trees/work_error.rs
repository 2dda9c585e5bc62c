//! Whose fault it is that the work of an attempt is not in the run's tree.

use std::fmt;

use signoff_work::git::GitError;
use signoff_work::layers::LayerError;

/// Why the work of an attempt cannot be recorded or put on top of the head.
///
/// Every failure is the harness's own unless its type says that the work caused it: a full disk or a git that fails must
/// not count against an attempt.
#[derive(Debug)]
pub(crate) enum WorkError {
    /// The attempt did something that no attempt may do; another one may do better.
    Attempt(String),
    /// The work holds what this harness cannot merge, however often it is done.
    Unsupported(String),
    /// The harness could not do its part, which says nothing about the work.
    Harness(String),
}

impl fmt::Display for WorkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Attempt(why) | Self::Unsupported(why) | Self::Harness(why)) = self;
        f.write_str(why)
    }
}

impl From<GitError> for WorkError {
    fn from(error: GitError) -> Self {
        if error.is_about_content() {
            Self::Attempt(error.to_string())
        } else {
            Self::Harness(error.to_string())
        }
    }
}

impl From<LayerError> for WorkError {
    fn from(error: LayerError) -> Self {
        if error.is_about_content() {
            Self::Attempt(error.to_string())
        } else {
            Self::Harness(error.to_string())
        }
    }
}

impl From<std::io::Error> for WorkError {
    fn from(error: std::io::Error) -> Self {
        Self::Harness(error.to_string())
    }
}

/// The run's own files and directories could not be read or made.
impl From<String> for WorkError {
    fn from(why: String) -> Self {
        Self::Harness(why)
    }
}
