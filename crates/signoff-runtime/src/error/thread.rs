//! Errors about the threads of a session.

use std::path::PathBuf;

use signoff_engine::PlanState;
use signoff_plan::diagnostic::Diagnostic;
use signoff_plan::source::Source;
use signoff_store::threads::{ThreadIdError, ThreadsError};

use super::Error;

/// Why something could not be done to the threads of a session.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are what the variant's line names")]
pub enum ThreadError {
    /// Nothing names the session.
    NoSession,
    /// This variable, which says where plans are written, is not an absolute path.
    NoPlansDir { variable: &'static str },
    /// The session's id is not a valid id.
    BadSession { session: String, why: ThreadIdError },
    /// The session's id is that of another session's thread.
    TakenSession { session: String, owner: String },
    /// The session has no such additional thread.
    UnknownThread { thread: String, known: Vec<String> },
    /// The current thread stays as long as its session.
    CurrentThread { thread: String },
    /// A topic says nothing.
    EmptyTopic,
    /// A topic is longer than [`ThreadError::LONGEST_TOPIC`].
    LongTopic { length: usize },
    /// Plans that cannot be committed, each with all its problems, and files that cannot be read.
    Problems {
        plans: Vec<(Source, Vec<Diagnostic>)>,
        unreadable: Vec<Error>,
    },
    /// The store does not let plans be replaced or given up; nothing was changed.
    Conflicts(Vec<ThreadConflict>),
    /// The directories, or what is known of them.
    Store(ThreadsError),
}

/// Why the plan of one thread stays as it is in the store.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are what the variant's line names")]
pub enum ThreadConflict {
    /// Somebody else wrote there since it was committed.
    Edited { thread: String, path: PathBuf },
    /// A run of it is not over.
    Running { thread: String, state: PlanState },
}

impl ThreadError {
    /// The variable that names the session.
    pub const SESSION_VARIABLE: &'static str = "AGENTCTL_SESSION_ID";
    /// How many characters a topic may have.
    pub const LONGEST_TOPIC: usize = 100;
}

impl std::fmt::Display for ThreadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoSession => {
                write!(f, "no session: {} is not set", Self::SESSION_VARIABLE)
            }
            Self::NoPlansDir { variable } => write!(
                f,
                "{variable} is not an absolute path, so there is no directory for plans"
            ),
            Self::BadSession { session, why } => {
                write!(f, "{session:?} is not a session id: {why}")
            }
            Self::TakenSession { session, owner } => write!(
                f,
                "`{session}` is a thread of session `{owner}`, not a session"
            ),
            Self::UnknownThread { thread, .. } => {
                write!(f, "this session has no additional thread {thread:?}")
            }
            Self::CurrentThread { thread } => write!(
                f,
                "`{thread}` is the current thread, which cannot be removed"
            ),
            Self::EmptyTopic => f.write_str("the topic is empty"),
            Self::LongTopic { length } => write!(
                f,
                "the topic has {length} characters; the limit is {}",
                Self::LONGEST_TOPIC
            ),
            Self::Problems { plans, .. } => {
                write!(f, "{} plans cannot be committed", plans.len())
            }
            Self::Conflicts(_) => f.write_str("nothing was changed"),
            Self::Store(error) => write!(f, "{error}"),
        }
    }
}

impl From<ThreadError> for Error {
    fn from(error: ThreadError) -> Self {
        Self::Thread(Box::new(error))
    }
}
