//! Fields of a step that both dialects have beside those of their seeds.

use super::Reader;
use crate::draft::{Spanned, StatusMark, Step};
use crate::source::Span;
use crate::yaml::{Entry, Kind};

/// Their names.
pub(in crate::dialect) const FIELDS: [&str; 15] = [
    "contract", "onFail", "when", "forEach", "maxItems", "ask", "approval", "critical", "produces",
    "protects", "tools", "timeout", "budget", "locks", "status",
];

pub(super) const ASK: [&str; 2] = ["question", "choices"];

impl Reader<'_> {
    /// Reads a field that both dialects have; gives it back if it is none.
    pub(in crate::dialect) fn step_field(
        &mut self,
        entry: Entry,
        step: &mut Step,
    ) -> Option<Entry> {
        match entry.key.value.as_str() {
            "contract" => {
                let given = !entry.value.is_nothing();
                step.contract = self.contract(entry);
                step.contract_missing_command = given && step.contract.is_none();
            }
            "onFail" => step.on_fail = self.text(entry),
            "when" => step.when = self.word(entry),
            "forEach" => step.for_each = self.text(entry),
            "maxItems" => step.max_items = self.word(entry),
            "ask" => self.ask(entry, step),
            "approval" => step.approval = self.word(entry),
            "critical" => step.critical = self.word(entry),
            "produces" => step.produces = self.texts(entry).unwrap_or_default(),
            "protects" => step.protects = self.texts(entry).unwrap_or_default(),
            "tools" => step.tools = self.texts(entry),
            "timeout" => step.timeout = self.word(entry),
            "budget" => step.budget = self.budget(entry),
            "locks" => step.locks = self.texts(entry).unwrap_or_default(),
            "status" => {
                let line = Span::new(entry.key.span.start, entry.value.span.end);
                let word = self.text(entry);
                step.marks.statuses = word
                    .map(|word| StatusMark { word, line })
                    .into_iter()
                    .collect();
            }
            _ => return Some(entry),
        }
        None
    }

    /// A question as text, or `{question, choices}`.
    fn ask(&mut self, entry: Entry, step: &mut Step) {
        if matches!(entry.value.kind, Kind::Scalar { .. }) {
            step.ask = self.text(entry);
            return;
        }
        let Entry { key, value } = entry;
        let Some(members) = self.members(&key, value) else {
            return;
        };
        // A question that is missing or empty is reported by `empty-task`.
        step.ask = Some(Spanned::new(String::new(), key.span));
        for member in members {
            match member.key.value.as_str() {
                "question" => step.ask = self.text(member).or(step.ask.take()),
                "choices" => step.choices = self.texts(member).unwrap_or_default(),
                _ => self.unknown(&member.key, "`ask`", &[&ASK]),
            }
        }
    }
}
