//! Failures of the threads of a session.

use signoff_runtime::error::{ThreadConflict, ThreadError};
use signoff_runtime::threads::{ROOT_VARIABLE, SESSION_VARIABLE};
use signoff_store::threads::ThreadsError;

use super::Failure;
use crate::shell_words::shell_word;

impl From<ThreadError> for Failure {
    fn from(error: ThreadError) -> Self {
        advice(&error).with_error_text(&error)
    }
}

fn advice(error: &ThreadError) -> Failure {
    match error {
        ThreadError::NoSession => Failure::of(2, "no-session").hint(format!(
            "the program that starts the agent sets it: `export {SESSION_VARIABLE}=…`"
        )),
        ThreadError::NoPlansDir { .. } => {
            Failure::of(2, "no-plans-dir").hint(format!("`export {ROOT_VARIABLE}=/some/directory`"))
        }
        ThreadError::BadSession { .. } => Failure::of(2, "bad-session")
            .hint("an id has letters, digits, `-` and `_`, and at most 128 of them"),
        ThreadError::TakenSession { .. } => Failure::of(2, "bad-session"),
        ThreadError::UnknownThread { known, .. } => unknown_thread(known),
        ThreadError::CurrentThread { .. } => {
            Failure::of(2, "current-thread").hint("`agentctl plan clear-current` removes its plan")
        }
        ThreadError::EmptyTopic => {
            Failure::of(2, "bad-topic").hint("say in a few words what the session is about")
        }
        ThreadError::LongTopic { .. } => Failure::of(2, "bad-topic"),
        ThreadError::Problems { .. } => Failure::of(1, "invalid"),
        ThreadError::Conflicts(conflicts) => conflicts
            .iter()
            .fold(Failure::of(5, "conflict"), with_conflict),
        ThreadError::Store(error) => store_failure(error),
    }
}

fn store_failure(error: &ThreadsError) -> Failure {
    let failure = Failure::of(6, "threads");
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

fn unknown_thread(known: &[String]) -> Failure {
    let failure = Failure::of(2, "no-thread");
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
