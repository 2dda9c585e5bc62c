//! `[serve]`: who may sign in at `signoff serve`.

use std::collections::BTreeMap;

use toml::de::DeValue;

use crate::config::Setting;
use crate::config::read::Reader;
use crate::config::value::Value;

/// `[serve]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServeSettings {
    /// What is remembered of each person's token, by the name that signatures have.
    pub people: Setting<BTreeMap<String, String>>,
}

impl Reader<'_> {
    pub(in crate::config) fn people(
        &mut self,
        section: &Value<'_>,
    ) -> Option<BTreeMap<String, String>> {
        let DeValue::Table(table) = section.get_ref() else {
            let expected = "a section `[serve.people]` with lines like `ada = \"sha256:…\"`";
            return self.wrong_type(section, expected, section.get_ref());
        };
        let before = self.problems.len();
        let mut people = BTreeMap::new();
        for (name, value) in table {
            let offset = name.span().start;
            let name = name.get_ref().trim();
            if name.is_empty() || name.chars().any(char::is_control) {
                self.problem_at(offset, "a person needs a name".to_owned(), None);
                continue;
            }
            let Some(hash) = self.text(value) else {
                continue;
            };
            let hex = hash.strip_prefix("sha256:").unwrap_or_default();
            if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let message = format!("the token of `{name}` is not written as its hash");
                let hint = format!(
                    "`signoff serve --add-person {name}` makes a token, and the line for it"
                );
                self.problem(value, message, Some(hint));
                continue;
            }
            people.insert(name.to_owned(), hash.to_ascii_lowercase());
        }
        (self.problems.len() == before).then_some(people)
    }
}
