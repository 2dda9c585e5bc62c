//! `signoff.diff/1`: what differs between two plans, as `diff --format json` prints it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_plan::diff;

pub const SCHEMA: &str = "signoff.diff/1";

/// Two plans and what differs between them, as far as a signature covers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Diff {
    pub schema: String,
    pub before: ComparedPlan,
    pub after: ComparedPlan,
    /// Is nothing different? Then the digests are equal too.
    pub equal: bool,
    pub changes: Vec<Change>,
    /// With `--signed`, what changed of the terms that the plan runs under, in words.
    #[serde(default)]
    pub terms: Vec<String>,
}

/// One of the two plans.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Side")]
pub struct ComparedPlan {
    pub path: String,
    pub dialect: String,
    pub digest: String,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// `added`, `removed`, `changed` or `moved`.
    pub kind: String,
    /// Id of the step; `null` is the plan itself.
    pub step: Option<String>,
    /// Path of the field, such as `contract.command`; `step` is a whole step, `position` its place.
    pub field: String,
    /// What it was. Of a longer text only the lines that differ.
    pub before: Option<String>,
    /// What it is. Of a longer text only the lines that differ.
    pub after: Option<String>,
}

impl Diff {
    pub fn new(before: ComparedPlan, after: ComparedPlan, changes: &[diff::Change]) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            before,
            after,
            equal: changes.is_empty(),
            changes: changes.iter().map(Change::from).collect(),
            terms: Vec::new(),
        }
    }
}

impl Diff {
    /// The same, with what changed of the terms.
    #[must_use]
    pub fn with_terms(mut self, terms: Vec<String>) -> Self {
        self.equal = self.equal && terms.is_empty();
        self.terms = terms;
        self
    }
}

impl From<&diff::Change> for Change {
    fn from(change: &diff::Change) -> Self {
        let kind = match (&change.before, &change.after) {
            (Some(_), Some(_)) if change.step.is_some() && change.field == "position" => "moved",
            (None, Some(_)) => "added",
            (Some(_), None) => "removed",
            (Some(_), Some(_)) | (None, None) => "changed",
        };
        Self {
            kind: kind.to_owned(),
            step: change.step.clone(),
            field: change.field.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
        }
    }
}
