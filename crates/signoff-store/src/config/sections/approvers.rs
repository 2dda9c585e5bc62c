//! `[approval] from`: the people whose signatures count.

use crate::config::read::Reader;
use crate::config::value::Value;

impl Reader<'_> {
    /// Names of people, each once.
    pub(in crate::config) fn approvers(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut people: Vec<String> = Vec::new();
        for (item, text) in self.texts(value)? {
            let name = text.trim();
            if name.is_empty() || name.chars().any(char::is_control) {
                let hint = "write a name, an address, or `NAME <ADDRESS>`".to_owned();
                self.problem(item, "a person needs a name".to_owned(), Some(hint));
            } else if people.iter().any(|known| known == name) {
                let message = format!("`{name}` is named twice");
                self.problem(item, message, None);
            } else {
                people.push(name.to_owned());
            }
        }
        (self.problems.len() == before).then_some(people)
    }
}
