//! `[agents.NAME]`: who does the work.

use std::path::{Component, Path};

use crate::config::problem::{did_you_mean, listed};
use crate::config::read::Reader;
use crate::config::rules::placeholder;
use crate::config::value::Value;
use crate::config::{AgentSettings, Config, Driver, Setting};

const KEYS: [&str; 4] = ["driver", "command", "login", "env"];

/// Drivers that are planned; naming one is a fair wish, not a typing error.
const NOT_YET: [&str; 6] = ["claude", "codex", "gemini", "opencode", "pi", "acp"];

impl Reader<'_> {
    /// An agent replaces the one of the same name in a lower layer as a whole: half of one and half
    /// of another is nobody's wish.
    pub(in crate::config) fn agents(&mut self, section: &Value<'_>, config: &mut Config) {
        let Some(table) = self.table("agents.NAME", section) else {
            return;
        };
        // What a project's file lets through itself it has only taken from this.
        let allowed = config.sandbox.env.value.clone();
        for (name, value) in table {
            let offset = name.span().start;
            let name = name.get_ref().as_ref();
            if name.is_empty() {
                self.problem_at(offset, "an agent needs a name".to_owned(), None);
            }
            if let Some(agent) = self.agent(name, offset, value, &allowed) {
                let agent = Setting::of(agent, self.origin, Some(self.location(offset)));
                config.agents.insert(name.to_owned(), agent);
            }
        }
    }

    fn agent(
        &mut self,
        name: &str,
        offset: usize,
        section: &Value<'_>,
        allowed: &[String],
    ) -> Option<AgentSettings> {
        let title = format!("agents.{name}");
        self.table(&title, section)?;
        let entries = self.entries(&title, section, &KEYS);
        let value_of = |wanted| entries.iter().find(|(key, _)| *key == wanted);
        let Some((_, driver)) = value_of("driver") else {
            let message = format!("agent `{name}` has no `driver`");
            let hint = "write `driver = \"command\"`".to_owned();
            self.problem_at(offset, message, Some(hint));
            return None;
        };
        let driver = self.driver(driver);
        let command = match value_of("command") {
            Some((_, command)) => self.command(command),
            None => {
                // We do not know what an unknown driver needs.
                if driver.is_some() {
                    self.no_command(name, offset);
                }
                None
            }
        };
        let login = value_of("login").map(|(_, login)| self.login(login));
        let env = value_of("env").map(|(_, env)| self.variables(env, allowed));
        Some(AgentSettings {
            driver: driver?,
            command: command?,
            login: login.unwrap_or_else(|| Some(Vec::new()))?,
            env: env.unwrap_or_else(|| Some(Vec::new()))?,
        })
    }

    fn no_command(&mut self, name: &str, offset: usize) {
        let message = format!("agent `{name}` has no `command`");
        let hint = r#"write one like `command = ["my-agent", "{task}"]`"#.to_owned();
        self.problem_at(offset, message, Some(hint));
    }

    /// Files that an agent logs in with; what it holds it can send away, so only the user names them.
    fn login(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut files = Vec::new();
        for (item, file) in self.texts(value)? {
            let shown = file.escape_debug().to_string();
            if self.origin.may_only_tighten() {
                let who = self.origin.who();
                let message = format!("{who} cannot hand the login file `{shown}` to an agent");
                let hint = "name it for the agent in your own configuration".to_owned();
                self.problem(item, message, Some(hint));
            } else if !is_below_home(&file) {
                let message = format!("`{shown}` is not a file below your home");
                let hint = "write one like `~/.my-agent/auth.json`".to_owned();
                self.problem(item, message, Some(hint));
            } else if !files.contains(&file) {
                files.push(file);
            }
        }
        (self.problems.len() == before).then_some(files)
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
    pub(in crate::config) fn optional_command(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
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
        for (offset, word) in &words {
            for unknown in placeholder::unknown_placeholders(word) {
                let (unknown, known) = (format!("{{{unknown}}}"), placeholder::SHOWN);
                let message = format!(
                    "unknown placeholder `{unknown}`; there are {}",
                    listed(&known)
                );
                let hint = did_you_mean(&unknown, &known).unwrap_or_else(|| {
                    "put a space inside the braces if they are meant as they are".to_owned()
                });
                self.problem(offset, message, Some(hint));
                good = false;
            }
        }
        good.then(|| words.into_iter().map(|(_, word)| word).collect())
    }
}

/// It is found at the same place in the agent's own home.
pub(in crate::config) fn is_below_home(file: &str) -> bool {
    let Some(below) = file.strip_prefix("~/") else {
        return false;
    };
    let mut parts = Path::new(below).components().peekable();
    parts.peek().is_some() && parts.all(|part| matches!(part, Component::Normal(_)))
}
