//! Failures of the threads of a session.

use signoff_runtime::error::{ThreadConflict, ThreadError};
use signoff_runtime::threads::{ROOT_VARIABLE, SESSION_VARIABLE};
use signoff_store::threads::ThreadsError;

use super::Failure;
use crate::shell_words::shell_word;

impl From<ThreadError> for Failure {
    fn from(error: ThreadError) -> Self {
        match error {
            ThreadError::NoSession => {
                let message = format!("no session: {SESSION_VARIABLE} is not set");
                let hint = "the program that starts the agent sets it";
                Self::new(2, "no-session", message)
                    .hint(format!("{hint}: `export {SESSION_VARIABLE}=…`"))
            }
            ThreadError::NoPlansDir { variable } => {
                let why = "is not an absolute path, so there is no directory for plans";
                Self::new(2, "no-plans-dir", format!("{variable} {why}"))
                    .hint(format!("`export {ROOT_VARIABLE}=/some/directory`"))
            }
            ThreadError::BadSession { session, why } => Self::new(
                2,
                "bad-session",
                format!("{session:?} is not a session id: {why}"),
            )
            .hint("an id has letters, digits, `-` and `_`, and at most 128 of them"),
            ThreadError::TakenSession { session, owner } => Self::new(
                2,
                "bad-session",
                format!("`{session}` is a thread of session `{owner}`, not a session"),
            ),
            ThreadError::UnknownThread { thread, known } => unknown_thread(&thread, &known),
            ThreadError::CurrentThread { thread } => Self::new(
                2,
                "current-thread",
                format!("`{thread}` is the current thread, which cannot be removed"),
            )
            .hint("`agentctl plan clear-current` removes its plan"),
            ThreadError::EmptyTopic => Self::new(2, "bad-topic", "the topic is empty")
                .hint("say in a few words what the session is about"),
            ThreadError::LongTopic { length } => Self::new(
                2,
                "bad-topic",
                format!(
                    "the topic has {length} characters; the limit is {}",
                    ThreadError::LONGEST_TOPIC
                ),
            ),
            ThreadError::Problems { plans, .. } => Self::new(
                1,
                "invalid",
                format!("{} plans cannot be committed", plans.len()),
            ),
            ThreadError::Conflicts(conflicts) => conflicts.iter().fold(
                Self::new(5, "conflict", "nothing was changed"),
                with_conflict,
            ),
            ThreadError::Store(error) => store_failure(&error),
        }
    }
}

fn store_failure(error: &ThreadsError) -> Failure {
    let failure = Failure::new(6, "threads", error.to_string());
    match error {
        ThreadsError::Broken { path, .. } => failure.hint(format!(
            "restore it, or move it away (`mv {0} {0}.damaged`): the directories beside it stay, \
             but no longer belong to a session",
            shell_word(&path.display().to_string())
        )),
        ThreadsError::NoDirectory { path } => failure.hint(format!(
            "move it away (`mv {0} {0}.away`), then repeat the command",
            shell_word(&path.display().to_string())
        )),
        ThreadsError::File(_) => failure,
    }
}

fn unknown_thread(thread: &str, known: &[String]) -> Failure {
    let failure = Failure::new(
        2,
        "no-thread",
        format!("this session has no additional thread {thread:?}"),
    );
    match known {
        [] => failure.hint("it has none; `agentctl plan request-thread-dir` allocates one"),
        _ => failure.hint(format!("it has: {}", known.join(", "))),
    }
}

fn with_conflict(failure: Failure, conflict: &ThreadConflict) -> Failure {
    match conflict {
        ThreadConflict::Edited { thread, path } => failure
            .detail(format!(
                "thread {thread}: {} was edited since it was committed",
                path.display()
            ))
            .hint(format!(
                "copy those edits into the thread's directory (`signoff show {thread}` shows them), \
                 commit, and continue from there"
            )),
        ThreadConflict::Running { thread, state } => failure
            .detail(format!(
                "thread {thread}: its plan is {state}, and its run has not ended"
            ))
            .hint(format!("a person can end it: `signoff cancel {thread}`")),
    }
}
