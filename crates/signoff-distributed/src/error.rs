//! Why something could not be done with other machines.

use std::fmt;

use signoff_runtime::Error;

/// Why something could not be done with other machines.
#[derive(Debug)]
pub enum ClusterError {
    /// The database did not answer, or refused.
    Database(String),
    /// The database has not the tables that this version needs.
    NotMigrated,
    /// Something on this machine is missing or broken.
    Machine {
        /// What could not be done.
        what: &'static str,
        /// Why not.
        why: String,
    },
    /// Another process drives the run now.
    TakenOver,
    /// What was found is not to be believed.
    Untrusted(String),
    /// It cannot be done by several machines.
    Unfit(Vec<String>),
    /// The runtime refused.
    Runtime(Box<Error>),
}

impl ClusterError {
    pub(crate) fn machine(what: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |why| Self::Machine {
            what,
            why: why.to_string(),
        }
    }
}

impl From<Error> for ClusterError {
    fn from(error: Error) -> Self {
        Self::Runtime(Box::new(error))
    }
}

impl From<sqlx::Error> for ClusterError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(error.to_string())
    }
}

impl From<dbos::Error> for ClusterError {
    fn from(error: dbos::Error) -> Self {
        Self::Database(error.to_string())
    }
}

impl fmt::Display for ClusterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Database(why) => write!(f, "the database cannot be used: {why}"),
            Self::NotMigrated => {
                write!(f, "the database does not have this version's tables")
            }
            Self::Machine { what, why } => write!(f, "{what}: {why}"),
            Self::TakenOver => write!(f, "another process drives this run now"),
            Self::Untrusted(why) => write!(f, "not trusted: {why}"),
            Self::Unfit(why) => {
                let why = why.join("; ");
                write!(f, "the run cannot be shared between machines: {why}")
            }
            Self::Runtime(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for ClusterError {}
