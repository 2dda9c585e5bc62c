//! What can go wrong with git.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use signoff_sandbox::StartError;

use crate::tree::check::TreeError;

/// Why something could not be done with git.
#[derive(Debug)]
pub enum GitError {
    /// Git could not be started.
    Start {
        /// What was tried, such as `git add`.
        tried: String,
        /// Why not.
        error: StartError,
    },
    /// Git failed.
    Failed {
        /// What was tried.
        tried: String,
        /// Git's error message, or how it ended.
        said: String,
    },
    /// A file cannot be stored in the encoding that `.gitattributes` gives it.
    Encoding {
        /// Git's error message.
        said: String,
    },
    /// The run is being stopped.
    Stopped {
        /// What was under way.
        tried: String,
    },
    /// A tree cannot be looked at completely.
    Tree {
        /// Its root.
        root: PathBuf,
        /// Why not.
        error: TreeError,
    },
    /// Git printed more than is kept.
    TooMuch {
        /// What was tried.
        tried: String,
    },
    /// Git printed something else than it should.
    Unexpected {
        /// What was expected.
        expected: &'static str,
        /// What came instead.
        found: String,
    },
    /// A file could not be read or written.
    File {
        /// Which one.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
    /// Commits were removed, as happens where no branch holds them.
    Gone {
        /// Which ones.
        commits: Vec<String>,
    },
    /// The index or a commit holds other repositories, which are never looked into.
    Submodules {
        /// Where.
        paths: Vec<String>,
    },
    /// Somebody changed these files at the same moment.
    ChangedMeanwhile {
        /// Which ones.
        paths: Vec<String>,
    },
}

impl GitError {
    /// Is it caused by what somebody put into a tree? Everything else is between the harness, git and the machine.
    pub fn is_about_content(&self) -> bool {
        match self {
            Self::Submodules { .. } | Self::Encoding { .. } => true,
            Self::Tree { error, .. } => match error {
                TreeError::Unreadable { error, .. } => !is_of_machine(error),
                _ => true,
            },
            Self::Start { .. }
            | Self::Failed { .. }
            | Self::Stopped { .. }
            | Self::TooMuch { .. }
            | Self::Unexpected { .. }
            | Self::File { .. }
            | Self::Gone { .. }
            | Self::ChangedMeanwhile { .. } => false,
        }
    }

    /// Git failed and said this. What it says of an encoding is about a file, and what it would say of it again.
    pub(crate) fn failed(tried: String, said: String) -> Self {
        /// What git says where it converts a file before it stores it (`encode_to_git` in its `convert.c`).
        const ENCODING: [&str; 4] = [
            "BOM is required in '",
            "BOM is prohibited in '",
            "failed to encode '",
            "and back is not the same",
        ];
        if ENCODING.iter().any(|words| said.contains(words)) {
            Self::Encoding { said }
        } else {
            Self::Failed { tried, said }
        }
    }

    pub(crate) fn unexpected(expected: &'static str, found: &str) -> Self {
        Self::Unexpected {
            expected,
            found: found.chars().take(200).collect(),
        }
    }

    /// For `map_err`: the file that an operation failed on.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |error| Self::File { path, error }
    }
}

/// Does the machine lack something (space, memory, descriptors), or is its disk failing?
pub(crate) fn is_of_machine(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let raw = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(
        raw,
        Some(
            Errno::NOSPC
                | Errno::DQUOT
                | Errno::IO
                | Errno::ROFS
                | Errno::NOMEM
                | Errno::MFILE
                | Errno::NFILE
                | Errno::STALE
        )
    )
}

impl fmt::Display for GitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { tried, error } => write!(f, "`{tried}` could not be started: {error}"),
            Self::Failed { tried, said } => write!(f, "`{tried}` failed: {said}"),
            Self::Encoding { said } => write!(
                f,
                "a file is not in the encoding that `working-tree-encoding` in .gitattributes gives it: {said}"
            ),
            Self::Stopped { tried } => write!(f, "`{tried}` was stopped"),
            Self::Tree { root, error } => {
                write!(f, "`{}` cannot be recorded: {error}", root.display())
            }
            Self::TooMuch { tried } => {
                write!(f, "`{tried}` printed more than the harness reads")
            }
            Self::Unexpected { expected, found } => {
                write!(f, "git should have printed {expected}, not `{found}`")
            }
            Self::File { path, error } => write!(f, "`{}`: {error}", path.display()),
            Self::Gone { commits } => write!(
                f,
                "the run's commits are no longer in the repository (`{}`): their branch was deleted, and git removed them; run the plan again",
                commits.join("`, `")
            ),
            Self::Submodules { paths } => {
                let first = paths.first().map_or("", String::as_str);
                write!(
                    f,
                    "submodules are not supported: `{}`; `git rm -q --cached {first}` takes one out of the index, and `git add {first}` puts it back when the run has landed",
                    paths.join("`, `")
                )
            }
            Self::ChangedMeanwhile { paths } => write!(
                f,
                "somebody changed `{}` at the same moment; try again",
                paths.join("`, `")
            ),
        }
    }
}

impl Error for GitError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Start { error, .. } => Some(error),
            Self::File { error, .. } => Some(error),
            Self::Tree { error, .. } => Some(error),
            Self::Failed { .. }
            | Self::Encoding { .. }
            | Self::Stopped { .. }
            | Self::TooMuch { .. }
            | Self::Unexpected { .. }
            | Self::Gone { .. }
            | Self::Submodules { .. }
            | Self::ChangedMeanwhile { .. } => None,
        }
    }
}
