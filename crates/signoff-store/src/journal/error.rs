//! Why a journal cannot be read or continued.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};

use crate::files::FileError;

/// Why a journal cannot be read or continued.
#[derive(Debug)]
pub enum JournalError {
    /// A line is not what was written.
    Corrupt {
        path: PathBuf,
        /// From 1.
        line: u64,
        reason: String,
    },
    /// Lines that were there are gone: the recorded head is further on.
    Shorter {
        path: PathBuf,
        records: u64,
        recorded: u64,
    },
    /// A line of a plan's log is about another plan, or says not which it is about.
    OtherPlan {
        path: PathBuf,
        /// From 1.
        line: u64,
        plan: Option<String>,
    },
    /// The file that records the head cannot be understood.
    BadHead {
        path: PathBuf,
        reason: String,
    },
    /// The file that records the head is gone, so nobody knows whether lines are missing.
    NoHead {
        path: PathBuf,
    },
    /// Another writer has it open.
    Busy {
        path: PathBuf,
    },
    /// An earlier write or sync failed; open the journal again to learn what it holds.
    Unknown {
        path: PathBuf,
    },
    /// Another process removed, replaced, cut or wrote to the file while it was open.
    Touched {
        path: PathBuf,
    },
    /// The event cannot be a line; nothing was written.
    BadEvent {
        path: PathBuf,
        reason: String,
    },
    File(FileError),
}

impl From<FileError> for JournalError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

impl JournalError {
    /// The file that it is about.
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::Corrupt { path, .. }
            | Self::Shorter { path, .. }
            | Self::OtherPlan { path, .. }
            | Self::BadHead { path, .. }
            | Self::NoHead { path }
            | Self::Busy { path }
            | Self::Unknown { path }
            | Self::Touched { path }
            | Self::BadEvent { path, .. } => Some(path),
            Self::File(_) => None,
        }
    }
}

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Corrupt { path, line, reason } => {
                write!(
                    f,
                    "journal `{}` is damaged at line {line}: {reason}",
                    path.display()
                )
            }
            Self::Shorter {
                path,
                records,
                recorded,
            } => write!(
                f,
                "journal `{}` is damaged: it has {records} records, and {recorded} were recorded",
                path.display()
            ),
            Self::OtherPlan { path, line, plan } => {
                write!(f, "line {line} of `{}` ", path.display())?;
                match plan {
                    Some(plan) => write!(f, "is about another plan: `{plan}`"),
                    None => f.write_str("does not say which plan it is about"),
                }
            }
            Self::BadHead { path, reason } => {
                write!(f, "`{}` is damaged: {reason}", path.display())
            }
            Self::NoHead { path } => write!(
                f,
                "journal `{}` may have lost its end: the file beside it that records where it ends is gone",
                path.display()
            ),
            Self::Busy { path } => write!(
                f,
                "journal `{}` is being written by another process",
                path.display()
            ),
            Self::Unknown { path } => write!(
                f,
                "journal `{}` is in an unknown state after a failed write; nothing more is appended",
                path.display()
            ),
            Self::Touched { path } => write!(
                f,
                "journal `{}` was removed or changed by somebody else while the run wrote it",
                path.display()
            ),
            Self::BadEvent { path, reason } => write!(
                f,
                "an event cannot be written to journal `{}`: {reason}",
                path.display()
            ),
            Self::File(error) => error.fmt(f),
        }
    }
}

impl Error for JournalError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File(error) => Some(error),
            _ => None,
        }
    }
}
