//! `[agents.NAME]`: who does the work.

use super::problem::{did_you_mean, listed};
use super::read::Reader;
use super::value::Value;
use super::{Agent, Config, Driver, Setting, placeholder};

/// Drivers that are planned; naming one is a fair wish, not a typing error.
const NOT_YET: [&str; 6] = ["claude", "codex", "gemini", "opencode", "pi", "acp"];

impl Reader<'_> {
    /// An agent replaces the one of the same name in a lower layer as a whole: half of one and half
    /// of another is nobody's wish.
    pub(super) fn agents(&mut self, section: &Value<'_>, config: &mut Config) {
        let Some(table) = self.table("agents.NAME", section) else {
            return;
        };
        for (name, value) in table {
            let place = name.span().start;
            let name = name.get_ref().as_ref();
            if name.is_empty() {
                self.problem_at(place, "an agent needs a name".to_owned(), None);
            }
            if let Some(agent) = self.agent(name, place, value) {
                let agent = Setting::of(agent, self.origin, Some(self.place(place)));
                config.agents.insert(name.to_owned(), agent);
            }
        }
    }

    fn agent(&mut self, name: &str, place: usize, section: &Value<'_>) -> Option<Agent> {
        let title = format!("agents.{name}");
        self.table(&title, section)?;
        let entries = self.entries(&title, section, &["driver", "command"]);
        let value_of = |wanted| entries.iter().find(|(key, _)| *key == wanted);
        let Some((_, driver)) = value_of("driver") else {
            let message = format!("agent `{name}` has no `driver`");
            let hint = "write `driver = \"command\"`".to_owned();
            self.problem_at(place, message, Some(hint));
            return None;
        };
        let driver = self.driver(driver);
        let command = match value_of("command") {
            Some((_, command)) => self.command(command),
            None => {
                // Of a driver we do not know we cannot say what it needs.
                if driver.is_some() {
                    let message = format!("agent `{name}` has no `command`");
                    let hint = r#"write one like `command = ["my-agent", "{task}"]`"#.to_owned();
                    self.problem_at(place, message, Some(hint));
                }
                None
            }
        };
        Some(Agent {
            driver: driver?,
            command: command?,
        })
    }

    fn driver(&mut self, value: &Value<'_>) -> Option<Driver> {
        let name = self.text(value)?;
        if name == Driver::Command.name() {
            return Some(Driver::Command);
        }
        let shown = name.escape_debug();
        if NOT_YET.contains(&name.as_str()) {
            let message = format!("this version has no `{shown}` driver yet");
            let hint = "use `driver = \"command\"`".to_owned();
            self.problem(value, message, Some(hint));
        } else {
            let known = [Driver::Command.name()];
            let hint = did_you_mean(&name, &known);
            let message = format!("unknown driver `{shown}`; there is {}", listed(&known));
            self.problem(value, message, hint);
        }
        None
    }

    /// A command without placeholders; an empty list is none.
    pub(super) fn optional_command(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let words = self.texts(value)?;
        if let Some((first, program)) = words.first()
            && program.trim().is_empty()
        {
            let message = "the program of a command must not be empty".to_owned();
            self.problem(first, message, None);
            return None;
        }
        Some(words.into_iter().map(|(_, word)| word).collect())
    }

    fn command(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let words = self.texts(value)?;
        let Some((first, program)) = words.first() else {
            self.problem(value, "a command needs at least a program".to_owned(), None);
            return None;
        };
        let mut good = true;
        if program.trim().is_empty() {
            self.problem(
                first,
                "the program of a command must not be empty".to_owned(),
                None,
            );
            good = false;
        }
        for (place, word) in &words {
            for unknown in placeholder::unknown(word) {
                let (unknown, known) = (format!("{{{unknown}}}"), placeholder::SHOWN);
                let message = format!(
                    "unknown placeholder `{unknown}`; there are {}",
                    listed(&known)
                );
                let hint = did_you_mean(&unknown, &known).unwrap_or_else(|| {
                    "put a space inside the braces if they are meant as they are".to_owned()
                });
                self.problem(place, message, Some(hint));
                good = false;
            }
        }
        good.then(|| words.into_iter().map(|(_, word)| word).collect())
    }
}
