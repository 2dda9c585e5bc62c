//! Questions to a person, and the possible answers.

use serde::{Deserialize, Serialize};

/// Why a person is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename = "ItemKind")
)]
pub enum InboxKind {
    /// The step's policy is exhausted.
    Escalation,
    /// An agent step without a contract: only a person can say that it is done.
    Acceptance,
    /// The plan's budget does not allow another agent.
    Budget,
    /// The plan wants a person's leave before the step's work.
    Approval,
    /// An `ask` step: the plan asks a person something.
    Question,
    /// A call whose end was not observed: only a person can find out whether it happened.
    UnknownCall,
    /// Somebody wants another version of the plan before the step goes on.
    Revision,
    /// An agent at work asks whether it may use a tool, and waits for the answer.
    Permission,
    /// A new version of the plan waits for a signature.
    NewVersion,
}

/// A person's answer to an inbox item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum Choice {
    /// One more attempt; a note becomes a hint in its prompt.
    Retry,
    /// "I repaired it": evaluate the contract.
    Fixed,
    /// Only for steps without a contract.
    Accept,
    /// It is not done: the step fails, and whatever was built on it with it.
    Refuse,
    /// Grant the plan's budget once more; or let an agent use the tool that it asks about, this once.
    Allow,
    /// The work may start.
    Approve,
    /// It may not: the step is skipped, and what waits for it is blocked. An agent that asks about a tool goes on without.
    Deny,
    /// The answer to a question; the note is its text.
    Reply,
    /// The call took place; the note is its result.
    Happened,
    /// The plan itself has to become another: the step waits until a new version is signed.
    Revise,
    /// A planner drafts another version of the plan; the note is why.
    Replan,
    /// Go on without it; dependents may run.
    Skip,
    /// Fail the step and the run.
    Abort,
}

impl Choice {
    pub const ALL: [Self; 13] = [
        Self::Retry,
        Self::Fixed,
        Self::Accept,
        Self::Refuse,
        Self::Allow,
        Self::Approve,
        Self::Deny,
        Self::Reply,
        Self::Happened,
        Self::Revise,
        Self::Replan,
        Self::Skip,
        Self::Abort,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Fixed => "fixed",
            Self::Accept => "accept",
            Self::Refuse => "refuse",
            Self::Allow => "allow",
            Self::Approve => "approve",
            Self::Deny => "deny",
            Self::Reply => "reply",
            Self::Happened => "happened",
            Self::Revise => "revise",
            Self::Replan => "replan",
            Self::Skip => "skip",
            Self::Abort => "abort",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|choice| choice.name() == name)
    }
}
