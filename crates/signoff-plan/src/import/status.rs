//! How far the source says that a step is.

use std::collections::BTreeMap;

use super::ImportLoss;
use super::imported::{ImportedPlan, ImportedStep};
use super::markdown::{ListItem, is_done};

/// Takes over the mark of a check box; what a step cannot have is a loss.
pub(super) fn take_mark(
    step: &mut ImportedStep,
    item: &ListItem<'_>,
    file: &str,
    line: Option<usize>,
) -> Vec<ImportLoss> {
    let mut losses = Vec::new();
    let mut lose = |value: String, why: &str| {
        losses.push(ImportLoss {
            file: file.to_owned(),
            line,
            field: "mark".to_owned(),
            value,
            why: why.to_owned(),
        });
    };
    match item.mark {
        None | Some(' ') => {}
        Some(mark) if is_done(mark) => step.done = true,
        Some(mark) => lose(format!("[{mark}]"), "a draft marks only what is done"),
    }
    if item.starred {
        let why = "no step is optional; delete those that you do not want";
        lose(format!("* ({})", item.text), why);
    }
    losses
}

/// Statuses that a step without a mark has.
const UNTOUCHED: [&str; 4] = ["pending", "open", "todo", "ready"];

/// Counts statuses that need no mark, for one note about each.
#[derive(Debug, Default)]
pub(super) struct UntouchedSteps(BTreeMap<String, usize>);

impl UntouchedSteps {
    /// Takes over a status; `false` if a step cannot have it.
    pub(super) fn take_over(&mut self, step: &mut ImportedStep, status: &str) -> bool {
        match status.to_lowercase().as_str() {
            "done" | "completed" | "complete" | "closed" => step.done = true,
            "cancelled" | "canceled" | "skipped" => step.skipped = true,
            known if UNTOUCHED.contains(&known) => {
                *self.0.entry(status.to_owned()).or_default() += 1;
                return true;
            }
            _ => return false,
        }
        // The mark has a word of its own.
        *self.0.entry(status.to_owned()).or_default() += 1;
        true
    }

    /// Says which statuses were understood.
    pub(super) fn note(self, imported: &mut ImportedPlan) {
        for (status, count) in self.0 {
            let mark = match status.to_lowercase().as_str() {
                known if UNTOUCHED.contains(&known) => "no mark",
                "cancelled" | "canceled" | "skipped" => "the mark `skipped`",
                _ => "✅, which is not believed: a contract decides",
            };
            let steps = if count == 1 { "step" } else { "steps" };
            imported.note(format!("status `{status}` of {count} {steps}: {mark}"));
        }
    }
}
