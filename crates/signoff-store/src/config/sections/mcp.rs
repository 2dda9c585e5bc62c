//! `[mcp.servers.NAME]`: tool servers.

use crate::config::read::Reader;
use crate::config::rules::tighten::is_variable;
use crate::config::value::Value;
use crate::config::{Config, ServerSettings, Setting};

const KEYS: [&str; 6] = [
    "command",
    "confined",
    "env",
    "read_only",
    "repeatable",
    "timeout",
];

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
                _ => server.timeout = self.timeout(value),
            }
        }
        if !entries.iter().any(|(key, _)| *key == "command") {
            let message = format!("server `{name}` has no `command`");
            let hint = r#"write one like `command = ["my-server", "stdio"]`"#.to_owned();
            self.problem_at(offset, message, Some(hint));
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

    /// Names of variables. A project may name any: nothing of it runs before a person trusts it, and
    /// then only this server gets to see them.
    fn names(&mut self, value: &Value<'_>) -> Vec<String> {
        let names = self.texts(value).unwrap_or_default();
        for (item, name) in &names {
            if !is_variable(name) {
                let message = format!("`{}` is not the name of a variable", name.escape_debug());
                let hint = "a variable's value comes from your environment".to_owned();
                self.problem(item, message, Some(hint));
            }
        }
        names.into_iter().map(|(_, name)| name).collect()
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
