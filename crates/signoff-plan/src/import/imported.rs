//! What a reader found, before it is a plan.

use serde_json::Value;

use super::ImportLoss;

/// A plan as its source has it.
#[derive(Debug, Default)]
pub(super) struct ImportedPlan {
    pub(super) title: Option<String>,
    /// Texts around the steps, in the order they stand in.
    pub(super) context: Vec<String>,
    pub(super) steps: Vec<ImportedStep>,
    /// What is kept about the plan, by the names of [`crate::model::PLAN_RECORD`].
    pub(super) record: Vec<(&'static str, Value)>,
    pub(super) losses: Vec<ImportLoss>,
    pub(super) notes: Vec<String>,
}

impl ImportedPlan {
    /// Adds a note, unless it has been said.
    pub(super) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Adds a text around the steps, unless it is empty.
    pub(super) fn add_context(&mut self, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.context.push(text.to_owned());
        }
    }
}

/// A step as its source has it.
#[derive(Debug, Default)]
pub(super) struct ImportedStep {
    /// How the source calls it: `T001`, `1.2`, `bd-a1b2`.
    pub(super) name: Option<String>,
    /// Its title, as written.
    pub(super) title: String,
    /// Everything that is to be done, the title included.
    pub(super) task: String,
    pub(super) acceptance: Vec<String>,
    /// The source says that it is done.
    pub(super) done: bool,
    /// The source says that nobody wants it any more.
    pub(super) skipped: bool,
    pub(super) waits: ImportedDependencies,
    /// What is kept about it, by the names of [`crate::model::STEP_RECORD`].
    pub(super) record: Vec<(&'static str, Value)>,
}

/// What a step waits for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) enum ImportedDependencies {
    /// Every step before it.
    #[default]
    AllBefore,
    /// The steps at these positions.
    Positions(Vec<usize>),
    /// The steps that the source calls so.
    Names(Vec<String>),
}
