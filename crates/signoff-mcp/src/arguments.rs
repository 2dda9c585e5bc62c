//! The arguments of the tools. Their comments are what a model reads.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_plan::dialect::Dialect;

/// A new plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Propose {
    /// What the plan does, in one line. With `steps`; not with `text` or `path`.
    pub(crate) title: Option<String>,
    /// The steps in the order in which they are carried out. With `title`.
    pub(crate) steps: Option<Vec<Step>>,
    /// What whoever carries it out has to know: results of tools, notes. With `title` and `steps`.
    pub(crate) context: Option<String>,
    /// The whole text of a plan instead: the only form in which steps have contracts, which are commands that decide
    /// whether a step is done.
    pub(crate) text: Option<String>,
    /// The dialect of `text`; without it the text decides.
    pub(crate) dialect: Option<DialectName>,
    /// A plan file, or the directory of a thread, in the project instead: a path from the working directory. It stays where
    /// it is.
    pub(crate) path: Option<String>,
}

/// One step of a proposal.
#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Step {
    /// What is done, in one sentence.
    pub(crate) description: String,
    /// The tool that it is done with, such as `go-easy` or `bash`.
    pub(crate) tool: String,
    /// What the tool does, such as `read`, `write` or `gmail send`.
    pub(crate) operation: String,
    /// What it is done to, such as a file or a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<String>,
}

/// A dialect whose plans are one text.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DialectName {
    Workunit,
    Proposal,
    Record,
    Toolplan,
}

impl From<DialectName> for Dialect {
    fn from(name: DialectName) -> Self {
        match name {
            DialectName::Workunit => Self::Workunit,
            DialectName::Proposal => Self::Proposal,
            DialectName::Record => Self::Record,
            DialectName::Toolplan => Self::Toolplan,
        }
    }
}

/// Which plans.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    /// Only plans in these states: draft, verified, approved, executing, replanning, completed, failed, stalled, rejected,
    /// `needs_review`, cancelled.
    #[serde(default)]
    pub(crate) states: Vec<String>,
    /// Archived plans too.
    #[serde(default)]
    pub(crate) archived: bool,
}

/// One plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PlanName {
    /// The plan's id or path.
    pub(crate) plan: String,
}

/// What is checked.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Verify {
    /// A plan of the project, by id or path; or `text`.
    pub(crate) plan: Option<String>,
    /// The text of a plan, which is checked and not kept; or `plan`.
    pub(crate) text: Option<String>,
    /// The dialect of `text`; without it the text decides.
    pub(crate) dialect: Option<DialectName>,
}

/// A new version of a plan.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Revise {
    /// The plan's id or path.
    pub(crate) plan: String,
    /// The whole new text. Without it and without `steps`: the plan's file was edited in place.
    pub(crate) text: Option<String>,
    /// The title of the new version. With `steps`, for a plan that was proposed in that form.
    pub(crate) title: Option<String>,
    /// The steps of the new version. With `title`.
    pub(crate) steps: Option<Vec<Step>>,
    /// The context of the new version. With `title` and `steps`.
    pub(crate) context: Option<String>,
    /// Refuse unless the plan has this version: somebody else may have changed it.
    pub(crate) expect_version: Option<u64>,
}

/// A plan to be signed.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Approve {
    /// The plan's id or path.
    pub(crate) plan: String,
    /// Refuse unless the plan's digest begins with these 8 or more hexadecimal digits.
    pub(crate) expect_digest: Option<String>,
}

/// A plan to be rejected.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reject {
    /// The plan's id or path.
    pub(crate) plan: String,
    /// What is wrong with it, as a suggestion for the person, who can change it.
    pub(crate) feedback: Option<String>,
}

/// Whose state.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Status {
    /// A plan, by id or path: its state, and its run if it has one.
    pub(crate) plan: Option<String>,
    /// A run, by its name. Without `plan` and `run`: the newest run.
    pub(crate) run: Option<String>,
    /// Wait until the run ends or waits on a person, with progress notifications.
    #[serde(default)]
    pub(crate) wait: bool,
    /// How many seconds to wait at most: 1 to 600.
    #[serde(default = "default_timeout")]
    #[schemars(range(min = 1, max = 600))]
    pub(crate) timeout_seconds: u64,
}

fn default_timeout() -> u64 {
    60
}

/// A question to the person, or its answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ask {
    /// The question, in a few sentences. Not with `id`.
    pub(crate) question: Option<String>,
    /// The answers to choose from; without any, any text is an answer.
    #[serde(default)]
    pub(crate) choices: Vec<String>,
    /// The plan that it is about, by id or path.
    pub(crate) plan: Option<String>,
    /// The planning session that asks.
    pub(crate) session: Option<String>,
    /// Instead of a question: the id of one that was asked before, to read its answer.
    pub(crate) id: Option<String>,
}

/// The session whose threads are planned.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SessionName {
    /// The session's id; without it, `AGENTCTL_SESSION_ID` of the server's environment.
    pub(crate) session: Option<String>,
}

/// A thread to be removed.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoveThread {
    /// The id of an additional thread, as `plan_request_thread_dir` returned it.
    pub(crate) thread_id: String,
    /// The session's id; without it, `AGENTCTL_SESSION_ID` of the server's environment.
    pub(crate) session: Option<String>,
}

/// What a session is about.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetTopic {
    /// What the session is about: at most 100 characters.
    pub(crate) topic: String,
    /// The session's id; without it, `AGENTCTL_SESSION_ID` of the server's environment.
    pub(crate) session: Option<String>,
}
