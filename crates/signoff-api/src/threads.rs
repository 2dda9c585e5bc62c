//! What `agentctl` prints, and what it remembers beside the directories of the threads.
//!
//! The seed gives the shapes of a directory and of a commit; those two have no field `schema`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Of [`ThreadDir`].
pub const DIR_SCHEMA: &str = "signoff.thread_dir/1";
/// Of [`Commit`].
pub const COMMIT_SCHEMA: &str = "signoff.thread_commit/1";
/// Of [`Topic`].
pub const TOPIC_SCHEMA: &str = "signoff.topic/1";
/// Of [`Prompt`].
pub const PROMPT_SCHEMA: &str = "signoff.prompt/1";
/// Of [`Sessions`].
pub const SESSIONS_SCHEMA: &str = "signoff.sessions/1";

/// A thread and the directory its plan is written in: what `plan dir`, `plan request-thread-dir`,
/// `plan remove-thread` and `plan clear-current` print.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadDir {
    pub thread_id: String,
    /// Absolute.
    pub plan_dir: String,
}

/// What `plan commit --format json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// Version of this shape: 1.
    pub version: u32,
    /// The plans, that of the current thread first; a thread without a plan is not among them.
    pub plans: Vec<CommittedPlan>,
}

/// The plan of one thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommittedPlan {
    pub thread_id: String,
    pub plan_dir: String,
    pub plan: Narrative,
    /// In the order of their numbers.
    pub tasks: Vec<Task>,
}

/// `plan.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Narrative {
    pub title: String,
    pub body: String,
}

/// `tasks/NN-slug.md`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// Inside `tasks/`.
    pub filename: String,
    pub id: String,
    pub depends_on: Vec<String>,
    pub agent: Option<String>,
    pub subtasks: Vec<String>,
    /// The text after the frontmatter.
    pub description: String,
}

/// What `set-topic --format json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_field_names, reason = "the names are the wire format")]
pub struct Topic {
    pub schema: String,
    pub session_id: String,
    pub topic: String,
}

/// What `prompt NAME --format json` prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    pub schema: String,
    pub name: String,
    /// Of the overseer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_plan_dir: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub additional_plan_dirs: Option<Vec<ThreadDir>>,
    /// The whole prompt; that of the overseer has the directories at its end.
    pub text: String,
}

/// `sessions.json`, beside the directories of the threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sessions {
    pub schema: String,
    /// By the id of the session, which is that of its current thread.
    pub sessions: BTreeMap<String, Session>,
}

/// What is known of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Session {
    /// What it is about, in a few words.
    pub topic: Option<String>,
    /// Where the plan of the current thread was committed to.
    pub committed: Vec<CommittedProject>,
    /// The additional threads, oldest first.
    pub threads: Vec<Thread>,
}

/// An additional thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Thread {
    pub thread_id: String,
    /// Where its plan was committed to.
    pub committed: Vec<CommittedProject>,
}

/// A project that has a plan of a thread.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Committed")]
pub struct CommittedProject {
    /// The root of the project.
    pub workspace: String,
    /// Hashes of what we put there: one, or two while a commit is under way. Anything else was
    /// written by somebody else.
    pub contents: Vec<String>,
}
