//! Fields of a plan that both dialects have beside those of their seeds.

use super::Reader;
use crate::draft::Draft;
use crate::yaml::Entry;

/// Their names.
pub(in crate::dialect) const FIELDS: [&str; 5] = ["title", "context", "tools", "budget", "params"];

impl Reader<'_> {
    /// Reads a field that both dialects have; gives it back if it is none.
    pub(in crate::dialect) fn plan_field(
        &mut self,
        entry: Entry,
        draft: &mut Draft,
    ) -> Option<Entry> {
        match entry.key.value.as_str() {
            "title" => draft.title = self.text(entry),
            "context" => draft.context = self.text(entry),
            "tools" => draft.tools = self.texts(entry),
            "budget" => draft.budget = self.budget(entry),
            "params" => {
                let Entry { key, value } = entry;
                let members = self.members(&key, value).unwrap_or_default();
                let pairs = members.into_iter().map(|member| {
                    let value = member.value.to_json();
                    (member.key, value)
                });
                draft.params = pairs.collect();
            }
            _ => return Some(entry),
        }
        None
    }
}
