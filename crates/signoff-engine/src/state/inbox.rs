//! What waits on a person.

use std::collections::BTreeMap;

use crate::event::{Choice, InboxKind};

/// Everything that waits on a person.
#[derive(Debug, Clone, Default)]
pub(crate) struct Inbox {
    /// Open items by id.
    pub(crate) items: BTreeMap<String, InboxItem>,
    /// How many were ever opened.
    pub(crate) opened: u32,
}

impl Inbox {
    /// The id of the next item that is opened.
    pub(crate) fn next_id(&self, name: &str) -> String {
        self.id_after(name, 0)
    }

    /// The id of an item that is opened after so many others.
    pub(crate) fn id_after(&self, name: &str, others: u32) -> String {
        format!("{name}-{}", self.opened + 1 + others)
    }
}

/// An item that waits on a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxItem {
    pub id: String,
    pub kind: InboxKind,
    /// The step, or the first of several.
    pub step: usize,
    /// All of them, where it is about several.
    pub steps: Vec<usize>,
    pub question: String,
    pub choices: Vec<Choice>,
    /// Answers that the plan offers.
    pub options: Vec<String>,
}

impl InboxItem {
    /// The words it can be answered with: what the plan offers, then what the harness does.
    pub fn answer_words(&self) -> Vec<&str> {
        let offered = self.options.iter().map(String::as_str);
        let choices = self.choices.iter().filter(|choice| {
            // Every option of the plan is a reply, even one that is worded like a choice.
            let is_offered = self.options.iter().any(|option| option == choice.name());
            !is_offered && (**choice != Choice::Reply || self.options.is_empty())
        });
        offered.chain(choices.map(|choice| choice.name())).collect()
    }

    /// Is it about a planner for whom the budget has no room?
    pub(crate) fn is_about_draft(&self) -> bool {
        // The budget of a step is asked about by an item that the step waits for.
        self.kind == InboxKind::Budget && !self.steps.is_empty()
    }

    /// Every step that it is about.
    pub fn steps_concerned(&self) -> &[usize] {
        if self.steps.is_empty() {
            std::slice::from_ref(&self.step)
        } else {
            &self.steps
        }
    }
}
