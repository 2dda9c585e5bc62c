//! Why a run that has not ended never will.

use std::fmt;

/// Why a run cannot go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunOverReason {
    /// Another run of the plan began after it.
    Replaced {
        /// That run.
        newer: String,
    },
    /// Its plan was cancelled.
    Cancelled,
    /// Its plan is to be run from scratch.
    Retried,
}

impl fmt::Display for RunOverReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Replaced { newer } => write!(f, "run {newer} came after it"),
            Self::Cancelled => f.write_str("its plan was cancelled"),
            Self::Retried => f.write_str("its plan is to be run from scratch"),
        }
    }
}
