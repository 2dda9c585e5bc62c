//! `[agents.NAME]`: who does the work.

use std::path::{Component, Path};

use crate::config::problem::{did_you_mean, list_words};
use crate::config::read::Reader;
use crate::config::rules::placeholder;
use crate::config::value::Value;
use crate::config::{AgentSettings, Config, DriverName, RetrySession, Setting};

const KEYS: [&str; 6] = [
    "driver",
    "command",
    "model",
    "retry_session",
    "login",
    "env",
];

impl Reader<'_> {
    /// An agent replaces the one of the same name in a lower layer as a whole: nobody wants half of one and half of
    /// another.
    pub(in crate::config) fn agents(&mut self, section: &Value<'_>, config: &mut Config) {
        let Some(table) = self.table("agents.NAME", section) else {
            return;
        };
        // A project's file can only let variables through that are in this list.
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
            let names = list_words(&DriverName::ALL.map(DriverName::name));
            let hint = format!("write one like `driver = \"claude\"`; there are {names}");
            self.problem_at(offset, message, Some(hint));
            return None;
        };
        let before = self.problems.len();
        let driver = self.driver(driver);
        let command = match value_of("command") {
            Some((_, command)) => self.agent_command(command, driver),
            None => {
                self.require_command(name, offset, driver);
                None
            }
        };
        let model = value_of("model").and_then(|(_, model)| self.text(model));
        let retry_session =
            value_of("retry_session").and_then(|(_, value)| self.retry_session(value, driver));
        let login = value_of("login").and_then(|(_, login)| self.login(login));
        let env = value_of("env").and_then(|(_, env)| self.variables(env, allowed));
        let agent = AgentSettings {
            driver: driver?,
            command: command.unwrap_or_default(),
            model,
            retry_session: retry_session.unwrap_or(RetrySession::Fresh),
            login: login.unwrap_or_default(),
            env: env.unwrap_or_default(),
        };
        (self.problems.len() == before).then_some(agent)
    }

    /// Reports an agent that could be any program and does not say which. We do not know what an unknown driver needs.
    fn require_command(&mut self, name: &str, offset: usize, driver: Option<DriverName>) {
        let hint = match driver {
            Some(DriverName::Acp) => r#"write one like `command = ["my-agent", "--acp"]`"#,
            Some(driver) if driver.program().is_none() => {
                r#"write one like `command = ["my-agent", "{task}"]`"#
            }
            Some(_) | None => return,
        };
        let message = format!("agent `{name}` has no `command`");
        self.problem_at(offset, message, Some(hint.to_owned()));
    }

    /// The words of `command`. Only `driver = "command"` puts the task into them.
    fn agent_command(
        &mut self,
        value: &Value<'_>,
        driver: Option<DriverName>,
    ) -> Option<Vec<String>> {
        let words = self.command(value)?;
        let with_placeholder = words.iter().position(|word| {
            let mut shown = placeholder::SHOWN.iter();
            shown.any(|placeholder| word.contains(placeholder))
        });
        if let (Some(at), Some(driver)) = (with_placeholder, driver)
            && driver != DriverName::Command
        {
            let message = format!(
                "`{}` has a placeholder, but the driver `{}` adds the task and its own arguments itself",
                words[at].escape_debug(),
                driver.name()
            );
            let hint = "name only the program and what it needs before them".to_owned();
            self.problem(value, message, Some(hint));
            return None;
        }
        self.keep_login(value, driver, &words)?;
        Some(words)
    }

    /// Refuses a project's program in place of the driver's own: it would be handed the login of that driver's agent.
    fn keep_login(
        &mut self,
        value: &Value<'_>,
        driver: Option<DriverName>,
        words: &[String],
    ) -> Option<()> {
        let (Some(own), Some(program)) = (driver.and_then(DriverName::program), words.first())
        else {
            return Some(());
        };
        if !self.origin.may_only_tighten() || program == own {
            return Some(());
        }
        let (who, shown) = (self.origin.subject(), program.escape_debug());
        let message = format!("{who} cannot hand the login of `{own}` to the program `{shown}`");
        let hint = "name the command in your own configuration".to_owned();
        self.problem(value, message, Some(hint));
        None
    }

    fn retry_session(
        &mut self,
        value: &Value<'_>,
        driver: Option<DriverName>,
    ) -> Option<RetrySession> {
        let chosen = self.choice(value, &RetrySession::CHOICES)?;
        if let Some(driver) = driver
            && chosen == RetrySession::Continue
            && !driver.can_continue()
        {
            let able: Vec<&str> = (DriverName::ALL.into_iter())
                .filter(|driver| driver.can_continue())
                .map(DriverName::name)
                .collect();
            let message = format!(
                "the driver `{}` cannot continue a session; {} can",
                driver.name(),
                list_words(&able)
            );
            let hint = "take `retry_session` out".to_owned();
            self.problem(value, message, Some(hint));
            return None;
        }
        Some(chosen)
    }

    /// Files that an agent logs in with; what it holds it can send away, so only the user names them.
    fn login(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut files = Vec::new();
        for (item, file) in self.texts(value)? {
            let shown = file.escape_debug().to_string();
            if self.origin.may_only_tighten() {
                let who = self.origin.subject();
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

    fn driver(&mut self, value: &Value<'_>) -> Option<DriverName> {
        let name = self.text(value)?;
        let known = DriverName::ALL.into_iter().find(|one| one.name() == name);
        if known.is_none() {
            let (shown, names) = (name.escape_debug(), DriverName::ALL.map(DriverName::name));
            let hint = match DriverName::of_name(&name) {
                Some(driver) => Some(format!("did you mean `{}`?", driver.name())),
                None => did_you_mean(&name, &names),
            };
            let message = format!("unknown driver `{shown}`; there are {}", list_words(&names));
            self.problem(value, message, hint);
        }
        known
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
                    list_words(&known)
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
