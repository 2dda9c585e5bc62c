//! The sections of a configuration file, and what may stand in them.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{self, KEYS, Key};
use super::problem::{did_you_mean, list_words, position};
use super::value::Value;
use super::{Config, Origin, Problem, Setting, SettingLocation};

/// A file or a variable being read, and where its problems go.
pub(super) struct Reader<'a> {
    pub(super) from: ReadSource<'a>,
    pub(super) origin: Origin,
    pub(super) problems: Vec<Problem>,
}

/// What is being read.
pub(super) enum ReadSource<'a> {
    File { path: &'a Path, text: &'a str },
    Variable(&'a str),
}

/// The sections of the table, the agents, the prices and the servers.
fn sections() -> Vec<&'static str> {
    let mut sections: Vec<_> = KEYS.iter().map(|key| key.section).collect();
    sections.dedup();
    sections.extend(["agents", "prices", "mcp"]);
    sections
}

impl Reader<'_> {
    pub(super) fn document(&mut self, table: &DeTable<'_>, config: &mut Config) {
        let sections = sections();
        for (name, value) in table {
            match name.get_ref().as_ref() {
                "agents" => self.agents(value, config),
                "prices" => self.prices(value, config),
                "mcp" => self.mcp(value, config),
                section if sections.contains(&section) => self.section(section, value, config),
                _ => self.unknown_section(name, value, &sections),
            }
        }
    }

    fn section(&mut self, section: &str, value: &Value<'_>, config: &mut Config) {
        for (name, value) in self.entries(section, value, &key::names(section)) {
            if let Some(key) = key::find(section, name) {
                self.value(key, value, config);
            }
        }
    }

    /// Reads the value of one setting into its place.
    pub(super) fn value(&mut self, key: &Key, value: &Value<'_>, config: &mut Config) {
        (key.set)(self, key, value, config);
    }

    pub(super) fn set<'t, T>(
        &mut self,
        slot: &mut Setting<T>,
        value: &Value<'t>,
        read: impl FnOnce(&mut Self, &Value<'t>) -> Option<T>,
    ) {
        if let Some(new) = read(self, value) {
            slot.replace(new, self, value);
        }
    }

    /// The known entries of a section; reports the others.
    pub(super) fn entries<'v, 't>(
        &mut self,
        section: &str,
        value: &'v Value<'t>,
        known: &[&str],
    ) -> Vec<(&'v str, &'v Value<'t>)> {
        let Some(table) = self.table(section, value) else {
            return Vec::new();
        };
        let mut entries = Vec::new();
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                entries.push((name, value));
                continue;
            }
            let offset = key.span().start;
            let (shown, list) = (name.escape_debug(), list_words(known));
            let message = format!("unknown key `{shown}` in `[{section}]`, which has {list}");
            self.problem_at(offset, message, did_you_mean(name, known));
        }
        entries
    }

    pub(super) fn table<'v, 't>(
        &mut self,
        section: &str,
        value: &'v Value<'t>,
    ) -> Option<&'v DeTable<'t>> {
        match value.get_ref() {
            DeValue::Table(table) => Some(table),
            other => self.wrong_type(value, &format!("a section `[{section}]`"), other),
        }
    }

    fn unknown_section(
        &mut self,
        name: &Spanned<impl AsRef<str>>,
        value: &Value<'_>,
        sections: &[&str],
    ) {
        let shown = name.get_ref().as_ref().escape_debug().to_string();
        let what = match value.get_ref() {
            DeValue::Table(_) => format!("section `[{shown}]`"),
            _ => format!("key `{shown}`"),
        };
        let titles: Vec<_> = sections.iter().map(|one| format!("[{one}]")).collect();
        let list = list_words(&titles.iter().map(String::as_str).collect::<Vec<_>>());
        let hint = did_you_mean(name.get_ref().as_ref(), sections);
        self.problem_at(
            name.span().start,
            format!("unknown {what}; the sections are {list}"),
            hint,
        );
    }

    pub(super) fn problem(&mut self, at: &Value<'_>, message: String, suggestion: Option<String>) {
        self.problem_at(at.span().start, message, suggestion);
    }

    pub(super) fn problem_at(
        &mut self,
        offset: usize,
        message: String,
        suggestion: Option<String>,
    ) {
        let location = self.location(offset);
        self.problems.push(Problem {
            location,
            message,
            suggestion,
        });
    }

    /// Where the byte at this offset is written.
    pub(super) fn location(&self, offset: usize) -> SettingLocation {
        match self.from {
            ReadSource::File { path, text } => {
                let (line, column) = position(text, offset);
                SettingLocation::File {
                    path: path.to_path_buf(),
                    line,
                    column,
                }
            }
            ReadSource::Variable(name) => SettingLocation::Variable(name.to_owned()),
        }
    }
}

impl<T> Setting<T> {
    /// Puts another layer's value in.
    pub(super) fn replace(&mut self, value: T, reader: &Reader<'_>, at: &Value<'_>) {
        *self = Self::of(value, reader.origin, Some(reader.location(at.span().start)));
    }
}
