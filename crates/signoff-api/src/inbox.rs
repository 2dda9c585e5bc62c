//! `signoff.inbox/1`: everything that waits on a person.

mod details;
mod meanings;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use signoff_engine as engine;

pub use self::details::StepDetails;
use self::meanings::meaning;
use crate::event::InboxKind;

pub const SCHEMA: &str = "signoff.inbox/1";

/// The open items, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inbox {
    pub schema: String,
    pub items: Vec<Item>,
    /// Runs that have ended with files that a person has to settle.
    #[serde(default)]
    pub held: Vec<HeldFiles>,
}

/// Files of a run that could not be written to the checkout.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HeldFiles {
    pub run: String,
    /// The plan's title.
    pub title: String,
    /// Each with the reason.
    pub files: Vec<String>,
}

/// One question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Item {
    /// As `answer` takes it: `RUN/NAME`, or the name of a question that no run asks.
    pub id: String,
    pub kind: InboxKind,
    /// Empty for a question that no run asks, as `step` is.
    pub run: String,
    /// The plan's title.
    #[serde(default)]
    pub title: String,
    /// The step, or the first of several.
    pub step: String,
    /// Every step that it is about.
    pub steps: Vec<String>,
    pub question: String,
    /// What it can be answered with; `reply` stands for any text, given as its note.
    pub choices: Vec<String>,
    /// What each of the choices leads to, in a few words.
    #[serde(default)]
    pub meanings: BTreeMap<String, String>,
    /// What is known of each step that it is about.
    #[serde(default)]
    pub about: Vec<StepDetails>,
    /// Where the files are that whoever answers `fixed` repairs, if that is not the checkout.
    #[serde(default)]
    pub worktree: Option<String>,
}

impl Inbox {
    pub fn new(items: Vec<Item>, held: Vec<HeldFiles>) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            items,
            held,
        }
    }
}

impl Item {
    /// `worktree`: where it can be repaired, if that is not the checkout.
    pub fn new(run: &engine::Run, item: &engine::InboxItem, worktree: Option<String>) -> Self {
        Self {
            id: format!("{}/{}", run.id(), item.id),
            kind: item.kind,
            run: run.id().to_owned(),
            title: run.plan().display_title().to_owned(),
            step: run
                .step(item.step)
                .map_or_else(String::new, |(step, _)| step.id.clone()),
            steps: (item.steps_concerned().iter())
                .filter_map(|&at| Some(run.step(at)?.0.id.clone()))
                .collect(),
            question: item.question.clone(),
            choices: item.answer_words().into_iter().map(str::to_owned).collect(),
            meanings: meanings(run, item),
            about: (item.steps_concerned().iter())
                .filter_map(|&at| StepDetails::of(run, item.kind, at))
                .collect(),
            worktree,
        }
    }
}

/// What each choice leads to. What the plan offers speaks for itself.
fn meanings(run: &engine::Run, item: &engine::InboxItem) -> BTreeMap<String, String> {
    let work = run.step(item.step).map(|(step, _)| &step.work);
    let words = item.answer_words();
    let choices = item.choices.iter();
    let shown = choices.filter(|choice| words.contains(&choice.name()));
    let each = shown.map(|choice| {
        let text = meaning(*choice, item.kind, work);
        (choice.name().to_owned(), text.to_owned())
    });
    each.collect()
}
