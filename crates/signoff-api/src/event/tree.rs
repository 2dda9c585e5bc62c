//! The tree that a run works on, as git knows it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine as engine;

use super::ChangeDetails;

/// The tree that a run works on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunTree {
    /// The checkout's commit when the run started, if there was one.
    pub base: Option<String>,
    /// The commit that holds the checkout as it was then, with what was not committed.
    pub start: String,
    /// The run's branch; none in place.
    pub branch: Option<String>,
    /// The branch that the checkout was on, `HEAD` if it was on none; older versions did not note it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkout: Option<String>,
    /// Its commits are in a repository of the harness's own.
    #[serde(default, skip_serializing_if = "is_false")]
    pub private: bool,
    /// Work is kept in layers; older versions had a worktree for each agent.
    #[serde(default, skip_serializing_if = "is_false")]
    pub layers: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl From<engine::RunTree> for RunTree {
    fn from(tree: engine::RunTree) -> Self {
        let engine::RunTree {
            base,
            start,
            branch,
            checkout,
            private,
            layers,
        } = tree;
        Self {
            base,
            start,
            branch,
            checkout,
            private,
            layers,
        }
    }
}

impl From<RunTree> for engine::RunTree {
    fn from(tree: RunTree) -> Self {
        let RunTree {
            base,
            start,
            branch,
            checkout,
            private,
            layers,
        } = tree;
        Self {
            base,
            start,
            branch,
            checkout,
            private,
            layers,
        }
    }
}

/// What the run's tree will be if a step's contract holds on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    pub commit: String,
    pub tree: String,
    /// The head that it was built on.
    pub onto: String,
    /// What it changes there.
    pub files: Vec<String>,
    #[serde(flatten)]
    pub details: ChangeDetails,
}

impl From<engine::Candidate> for Candidate {
    fn from(candidate: engine::Candidate) -> Self {
        let engine::Candidate {
            commit,
            tree,
            onto,
            files,
            details,
        } = candidate;
        Self {
            commit,
            tree,
            onto,
            files,
            details: (*details).into(),
        }
    }
}

impl From<Candidate> for engine::Candidate {
    fn from(candidate: Candidate) -> Self {
        let Candidate {
            commit,
            tree,
            onto,
            files,
            details,
        } = candidate;
        Self {
            commit,
            tree,
            onto,
            files,
            details: Box::new(details.into()),
        }
    }
}
