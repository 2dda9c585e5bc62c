//! The lifecycle of a plan: its states, who may change them, and how the present state follows from what the
//! harness recorded. What a plan's file says about its own state is never trusted.
//!
//! [`table`] holds the transitions, [`derive`] computes the present state, [`approvers`] counts signatures.

mod approvers;
mod derive;
mod table;

use std::fmt;

pub use self::approvers::{
    ApprovalProgress, ApprovalRule, Approver, ImpossibleRule, NotCounted, Signer,
};
pub use self::derive::{PlanFact, PlanFlags, RunFact, derive};
pub use self::table::{
    ForbiddenTransition, Transition, may_clone, may_delete, may_resubmit_expired, must_escalate,
    possible_transitions, state_after, state_after_signing_again,
};

/// Where a plan stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PlanState {
    Draft,
    Verified,
    Approved,
    Rejected,
    NeedsReview,
    Cancelled,
    Executing,
    Replanning,
    Stalled,
    Completed,
    Failed,
}

impl PlanState {
    /// Every state, in the order in which a plan passes through them.
    pub const ALL: [Self; 11] = [
        Self::Draft,
        Self::Verified,
        Self::Approved,
        Self::Rejected,
        Self::NeedsReview,
        Self::Cancelled,
        Self::Executing,
        Self::Replanning,
        Self::Stalled,
        Self::Completed,
        Self::Failed,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Verified => "verified",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
            Self::NeedsReview => "needs_review",
            Self::Cancelled => "cancelled",
            Self::Executing => "executing",
            Self::Replanning => "replanning",
            Self::Stalled => "stalled",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }

    /// The state of this name; plan mode calls `verified` `proposed`.
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "proposed" { "verified" } else { name };
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// The state that a file means by this word, in whichever dialect.
    pub fn in_file(word: &str) -> Option<Self> {
        let words = |state: Self| {
            [
                state.name(),
                state.in_workunit(),
                state.in_proposal(),
                state.in_record(),
            ]
        };
        let found = Self::ALL
            .into_iter()
            .find(|state| words(*state).contains(&word));
        Self::from_name(word).or(found)
    }

    /// The word a `workunit` file has for it; where it has none, ours.
    pub fn in_workunit(self) -> &'static str {
        let words = [
            (Self::Executing, "in-progress"),
            (Self::Replanning, "in-progress"),
            (Self::Completed, "done"),
        ];
        self.word_among(&words)
    }

    /// The word a `proposal` file has for it; where it has none, ours.
    pub fn in_proposal(self) -> &'static str {
        let words = [
            (Self::Verified, "proposed"),
            (Self::Replanning, "executing"),
        ];
        self.word_among(&words)
    }

    /// The word a `record` file has for it; where it has none, ours.
    pub fn in_record(self) -> &'static str {
        let words = [
            (Self::Verified, "draft"),
            (Self::Approved, "draft"),
            (Self::Executing, "in_progress"),
            (Self::Completed, "complete"),
        ];
        self.word_among(&words)
    }

    fn word_among(self, words: &[(Self, &'static str)]) -> &'static str {
        let word = words.iter().find(|(state, _)| *state == self);
        word.map_or_else(|| self.name(), |(_, word)| word)
    }

    /// Has the plan reached an end, so that it can be archived?
    pub fn is_finished(self) -> bool {
        matches!(
            self,
            Self::Completed | Self::Failed | Self::Rejected | Self::Cancelled
        )
    }
}

impl fmt::Display for PlanState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Who does something to a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    Person,
    /// The rules that a person wrote into the configuration.
    Policy,
    Harness,
    /// A model that writes plans.
    Planner,
    /// A model that carries steps out, or any program it starts.
    Agent,
}

impl Actor {
    pub const ALL: [Self; 5] = [
        Self::Person,
        Self::Policy,
        Self::Harness,
        Self::Planner,
        Self::Agent,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Policy => "policy",
            Self::Harness => "harness",
            Self::Planner => "planner",
            Self::Agent => "agent",
        }
    }
}

#[cfg(test)]
mod tests;
