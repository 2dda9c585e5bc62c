//! `[mcp.servers.NAME]`: tool servers.

use signoff_plan::tools::server_url_problem;

use crate::config::read::Reader;
use crate::config::rules::tighten::is_variable;
use crate::config::value::Value;
use crate::config::{Config, ServerSettings, Setting};

const KEYS: [&str; 8] = [
    "command",
    "confined",
    "env",
    "read_only",
    "repeatable",
    "timeout",
    "token_env",
    "url",
];

/// Settings of a server that is a process of ours, and of one that is asked over HTTP.
const OF_COMMANDS: [&str; 3] = ["command", "confined", "env"];
const OF_URLS: [&str; 2] = ["url", "token_env"];

impl Reader<'_> {
    /// A server replaces the one of the same name in a lower layer as a whole, as an agent does.
    pub(in crate::config) fn mcp(&mut self, section: &Value<'_>, config: &mut Config) {
        for (_, servers) in self.entries("mcp", section, &["servers"]) {
            let Some(table) = self.table("mcp.servers.NAME", servers) else {
                continue;
            };
            for (name, value) in table {
                let offset = name.span().start;
                let name = name.get_ref().as_ref();
                self.server_name(name, offset);
                if let Some(server) = self.server(name, offset, value) {
                    let server = Setting::of(server, self.origin, Some(self.location(offset)));
                    config.servers.insert(name.to_owned(), server);
                }
            }
        }
    }

    /// A tool is called `server.tool`, and a scope ends a name with `*`.
    fn server_name(&mut self, name: &str, offset: usize) {
        let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if name.is_empty() || !name.chars().all(part) {
            let message = format!("`{}` is not a name for a server", name.escape_debug());
            let hint = "use letters, digits, `_` and `-`".to_owned();
            self.problem_at(offset, message, Some(hint));
        }
    }

    fn server(&mut self, name: &str, offset: usize, section: &Value<'_>) -> Option<ServerSettings> {
        let title = format!("mcp.servers.{name}");
        self.table(&title, section)?;
        let before = self.problems.len();
        let mut server = ServerSettings::default();
        let entries = self.entries(&title, section, &KEYS);
        for (key, value) in &entries {
            match *key {
                "command" => server.command = self.program(value).unwrap_or_default(),
                "confined" => server.confined = self.boolean(value).unwrap_or_default(),
                "env" => server.env = self.names(value),
                "read_only" => server.read_only = self.patterns(value),
                "repeatable" => server.repeatable = self.patterns(value),
                "token_env" => server.token_env = self.variable(value),
                "url" => server.url = self.server_url(value),
                _ => server.timeout = self.timeout(value),
            }
        }
        let has = |wanted: &str| entries.iter().any(|(key, _)| *key == wanted);
        let (starts, others) = match (has("command"), has("url")) {
            (true, false) => ("a `command`", OF_URLS.as_slice()),
            (false, true) => ("a `url`", OF_COMMANDS.as_slice()),
            (true, true) => ("a `command`", ["url"].as_slice()),
            (false, false) => {
                let message = format!("server `{name}` has no `command` and no `url`");
                let hint = r#"write one like `command = ["my-server", "stdio"]` or `url = "https://…/mcp"`"#.to_owned();
                self.problem_at(offset, message, Some(hint));
                return None;
            }
        };
        for (key, value) in entries.iter().filter(|(key, _)| others.contains(key)) {
            let message = format!("a server with {starts} has no `{key}`");
            self.problem(value, message, None);
        }
        (self.problems.len() == before).then_some(server)
    }

    fn program(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let words = self.texts(value)?;
        if words.first().is_none_or(|(_, word)| word.trim().is_empty()) {
            self.problem(value, "a command needs at least a program".to_owned(), None);
            return None;
        }
        Some(words.into_iter().map(|(_, word)| word).collect())
    }

    fn server_url(&mut self, value: &Value<'_>) -> Option<String> {
        let url = self.text(value)?;
        if let Some(message) = server_url_problem(&url) {
            self.problem(value, message, None);
            return None;
        }
        Some(url)
    }

    fn variable(&mut self, value: &Value<'_>) -> Option<String> {
        let name = self.text(value)?;
        self.refuse_no_variable(value, &name);
        Some(name)
    }

    /// Names of variables. A project may name any: nothing of it runs before a person trusts it, and
    /// then only this server gets to see them.
    fn names(&mut self, value: &Value<'_>) -> Vec<String> {
        let names = self.texts(value).unwrap_or_default();
        for (item, name) in &names {
            self.refuse_no_variable(item, name);
        }
        names.into_iter().map(|(_, name)| name).collect()
    }

    fn refuse_no_variable(&mut self, value: &Value<'_>, name: &str) {
        if !is_variable(name) {
            let message = format!("`{}` is not the name of a variable", name.escape_debug());
            let hint = "a variable's value comes from your environment".to_owned();
            self.problem(value, message, Some(hint));
        }
    }

    /// Names of tools, without that of their server.
    fn patterns(&mut self, value: &Value<'_>) -> Vec<String> {
        let names = self.texts(value).unwrap_or_default();
        for (item, name) in &names {
            if name.is_empty() {
                self.problem(item, "a tool needs a name".to_owned(), None);
            }
        }
        names.into_iter().map(|(_, name)| name).collect()
    }
}
