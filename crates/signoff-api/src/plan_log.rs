//! What happened to a plan: the lines of `log/<plan>.jsonl`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Name and version of the shape of a line.
pub const SCHEMA: &str = "signoff.plan_log/1";

/// One thing that happened to a plan. Digests are of the definition it happened to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(
    clippy::enum_variant_names,
    reason = "the names on the wire, beside those of a run's events"
)]
pub enum PlanEvent {
    /// It was handed in.
    PlanProposed {
        /// Its file, relative to the workspace where it lies inside.
        path: String,
        digest: String,
        version: Option<u64>,
        by: String,
        actor: String,
        /// Key of the plan that this one is a copy of.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cloned_from: Option<String>,
        /// The plan that this one is the next version of, and whose run goes on under it once it is signed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        replaces: Option<ReplacedPlan>,
    },
    /// A new text answers a rejection, or an edit changed it.
    PlanRevised {
        path: String,
        digest: String,
        version: Option<u64>,
        by: String,
        actor: String,
        /// What an edit did, in words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<String>,
        /// Steps that are known by their number and have another one now: old id, new id.
        #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
        renamed: BTreeMap<String, String>,
    },
    /// Somebody said something about it. Decides nothing, and is not part of the digest.
    PlanCommented {
        /// `c1`, `c2`, … in the order of the log.
        id: String,
        digest: String,
        version: Option<u64>,
        by: String,
        actor: String,
        /// Id of the step that it is about; `null` = the plan.
        step: Option<String>,
        text: String,
        #[serde(default)]
        kind: CommentKind,
        /// How much an objection weighs.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        severity: Option<ObjectionSeverity>,
    },
    /// A person says that a comment needs nothing more.
    PlanCommentResolved {
        comment: String,
        by: String,
    },
    /// A model was asked for its text, or about it. Decides nothing.
    PlanModelAsked {
        digest: String,
        task: PlanningTask,
        /// Who was asked: a role or a provider.
        by: String,
        model: Option<String>,
        /// How often.
        rounds: u32,
        tokens: Option<u64>,
        /// Millionths of a dollar; `null` = unknown.
        usd_e6: Option<u64>,
    },
    /// A signature follows; without a valid one this line counts for nothing.
    PlanApproved {
        path: String,
        digest: String,
        terms: String,
        version: Option<u64>,
        by: String,
        proof: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    PlanRejected {
        path: String,
        digest: String,
        version: Option<u64>,
        by: String,
        feedback: Option<String>,
    },
    /// It was rejected once too often: a person has to look at it.
    PlanNeedsReview {
        digest: String,
        rejections: u64,
    },
    PlanCancelled {
        digest: String,
        by: String,
        actor: String,
        reason: String,
        /// The run that ended with it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        run: Option<String>,
    },
    /// From scratch, under the same signature.
    PlanRetried {
        digest: String,
        by: String,
        run: String,
    },
    PlanExecuting {
        path: String,
        digest: String,
        run: String,
    },
    PlanCompleted {
        digest: String,
        run: String,
    },
    PlanFailed {
        digest: String,
        run: String,
    },
    /// A new version took its place: a plan of its own, under which the run goes on.
    PlanReplaced {
        digest: String,
        /// Key of the new plan.
        by: String,
        run: String,
    },
    PlanArchived {
        path: String,
        by: String,
    },
    /// Out of the archive.
    PlanRestored {
        path: String,
        by: String,
    },
    PlanDeleted {
        by: String,
    },
}

/// The plan that a new version takes the place of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ReplacedPlan {
    /// Its key.
    pub plan: String,
    /// The run that goes on under the new version.
    pub run: String,
    /// Why, as the planner says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
}

/// What a model was asked about a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlanningTask {
    /// To write it, with the questions before.
    Draft,
    /// To write it anew, or a step of it.
    Revision,
    /// What is wrong with it.
    Critique,
    /// Contracts for steps of an imported plan.
    Contracts,
}

impl PlanningTask {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Revision => "revision",
            Self::Critique => "critique",
            Self::Contracts => "contracts",
        }
    }
}

/// What a comment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CommentKind {
    /// Somebody's words.
    #[default]
    Comment,
    /// What a critic has against the plan.
    Objection,
}

/// How much an objection weighs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ObjectionSeverity {
    /// Worth knowing.
    Minor,
    /// Should be changed.
    Major,
    /// The plan should not be signed as it is.
    Blocking,
}

impl ObjectionSeverity {
    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minor => "minor",
            Self::Major => "major",
            Self::Blocking => "blocking",
        }
    }
}

/// A line of the log, as it stands in the file.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Line")]
pub struct PlanLogLine {
    /// Version of the line's shape: 1.
    pub v: u32,
    /// Position, from 1.
    pub seq: u64,
    /// When, in UTC with milliseconds.
    pub at: String,
    /// Key of the plan: its id, else its path.
    pub plan: String,
    #[serde(flatten)]
    pub event: PlanEvent,
    /// Hash of the line before; 64 zeros in the first.
    pub prev: String,
    /// SHA-256 of the line up to `,"hash":`.
    pub hash: String,
}
