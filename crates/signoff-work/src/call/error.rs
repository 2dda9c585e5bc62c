//! Why a call has no result.

use std::fmt::Display;
use std::io;

use super::CallEnd;

/// Why a call has no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CallError {
    Failed {
        message: String,
        transient: bool,
    },
    /// It was cut off: whether it took place is unknown.
    CutOff {
        message: String,
    },
    Stopped,
}

impl CallError {
    /// It would fail again.
    pub(crate) fn lasting(message: impl Into<String>) -> Self {
        Self::Failed {
            message: message.into(),
            transient: false,
        }
    }

    /// It may well succeed the next time.
    pub(crate) fn transient(message: impl Into<String>) -> Self {
        Self::Failed {
            message: message.into(),
            transient: true,
        }
    }

    /// It was cut off, by the time limit or by a lost connection.
    pub(crate) fn cut_off(message: impl Into<String>) -> Self {
        Self::CutOff {
            message: message.into(),
        }
    }

    /// What the system said about something in the workspace.
    pub(crate) fn from_io(
        operation: &str,
        path: impl Display,
        error: impl Into<io::Error>,
    ) -> Self {
        let error: io::Error = error.into();
        let why = match error.kind() {
            io::ErrorKind::NotFound => "there is no such file".to_owned(),
            io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
            io::ErrorKind::NotADirectory => "a part of the path is not a directory".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        Self::lasting(format!("cannot {operation} `{path}`: {why}"))
    }
}

impl From<CallError> for CallEnd {
    fn from(fault: CallError) -> Self {
        match fault {
            CallError::Failed { message, transient } => Self::Failed {
                message,
                transient,
                unknown: false,
            },
            CallError::CutOff { message } => Self::Failed {
                message,
                transient: true,
                unknown: true,
            },
            CallError::Stopped => Self::Stopped,
        }
    }
}
