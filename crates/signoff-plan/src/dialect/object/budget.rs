//! `budget`: text in the grammar of budgets, or `{tokens, usd, wall, agents}`.

use super::ObjectReader;
use crate::check::budget_invalid;
use crate::draft::Spanned;
use crate::node::{Entry, NodeKind};

pub(super) const FIELDS: [&str; 4] = ["tokens", "usd", "wall", "agents"];

impl ObjectReader<'_> {
    /// Reads a budget as text.
    pub(super) fn budget(&mut self, entry: Entry) -> Option<Spanned<String>> {
        if !matches!(entry.value.kind, NodeKind::Mapping(_)) {
            return self.text(entry);
        }
        let span = entry.value.span;
        let Entry { key, value } = entry;
        let mut limits = Vec::new();
        for member in self.members(&key, value)? {
            limits.extend(self.limit(member));
        }
        (!limits.is_empty()).then(|| Spanned::new(limits.join(", "), span))
    }

    /// One limit, spelled as budgets are; one that cannot be read is reported and left out.
    fn limit(&mut self, entry: Entry) -> Option<String> {
        let name = entry.key.value.clone();
        if !FIELDS.contains(&name.as_str()) {
            self.unknown(&entry.key, "a budget", &FIELDS);
            return None;
        }
        let amount = self.word(entry)?;
        let limit = match name.as_str() {
            "usd" => format!("${}", amount.value.trim_start_matches('$')),
            "wall" => amount.value.clone(),
            unit if amount.value.ends_with(unit) => amount.value.clone(),
            unit => format!("{} {unit}", amount.value),
        };
        match crate::budget::parse(&limit) {
            Ok(_) if !limit.contains(',') => Some(limit),
            read => {
                let why = read
                    .err()
                    .unwrap_or_else(|| "it is more than one limit".to_owned());
                let found = budget_invalid::limit(self.dialect, &name, &amount, &why);
                self.problems.push(found);
                None
            }
        }
    }
}
