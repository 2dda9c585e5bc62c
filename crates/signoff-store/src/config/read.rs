//! The sections of a configuration file, and what may stand in them.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problem::{did_you_mean, place};
use super::value::Value;
use super::{Config, Origin, Problem, Setting};

const SECTIONS: [&str; 4] = ["run", "contract", "sandbox", "agents"];

/// A file being read, and where its problems go.
pub(super) struct Reader<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
    pub(super) origin: Origin,
    pub(super) problems: Vec<Problem>,
}

impl Reader<'_> {
    pub(super) fn document(&mut self, table: &DeTable<'_>, config: &mut Config) {
        for (name, value) in table {
            match name.get_ref().as_ref() {
                "run" => self.run(value, config),
                "contract" => self.contract(value, config),
                "sandbox" => self.sandbox(value, config),
                "agents" => self.agents(value, config),
                _ => self.unknown_section(name, value),
            }
        }
    }

    fn run(&mut self, section: &Value<'_>, config: &mut Config) {
        for (key, value) in self.entries("run", section, &["step_timeout", "backoff"]) {
            match key {
                "step_timeout" => self.set(&mut config.run.step_timeout, value, Self::timeout),
                "backoff" => self.set(&mut config.run.backoff, value, Self::duration),
                _ => {}
            }
        }
    }

    fn contract(&mut self, section: &Value<'_>, config: &mut Config) {
        let known = ["shell", "timeout", "baseline"];
        for (key, value) in self.entries("contract", section, &known) {
            match key {
                "shell" => self.set(&mut config.contract.shell, value, Self::text),
                "timeout" => self.set(&mut config.contract.timeout, value, Self::timeout),
                "baseline" => self.set(&mut config.contract.baseline, value, Self::boolean),
                _ => {}
            }
        }
    }

    fn sandbox(&mut self, section: &Value<'_>, config: &mut Config) {
        for (key, value) in self.entries("sandbox", section, &["env"]) {
            if key == "env" {
                let allowed = config.sandbox.env.value.clone();
                self.set(&mut config.sandbox.env, value, |reader, value| {
                    reader.variables(value, &allowed)
                });
            }
        }
    }

    /// Names of variables. A project may take away from what the user lets through, never add.
    fn variables(&mut self, value: &Value<'_>, allowed: &[String]) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut names = Vec::new();
        for (item, name) in self.texts(value)? {
            if !is_variable(&name) {
                let message = format!("`{}` is not the name of a variable", name.escape_debug());
                self.problem(item, message, None);
            } else if self.origin == Origin::Project && !allowed.contains(&name) {
                let message = format!("a project cannot let the variable `{name}` through");
                let hint = "add it to `[sandbox] env` in your own configuration".to_owned();
                self.problem(item, message, Some(hint));
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (self.problems.len() == before).then_some(names)
    }

    pub(super) fn set<'t, T>(
        &mut self,
        slot: &mut Setting<T>,
        value: &Value<'t>,
        read: impl FnOnce(&mut Self, &Value<'t>) -> Option<T>,
    ) {
        if let Some(value) = read(self, value) {
            *slot = Setting {
                value,
                origin: self.origin,
            };
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
            let (shown, list) = (name.escape_debug(), listed(known));
            let message = format!("unknown key `{shown}` in `[{section}]`, which has {list}");
            let offset = key.span().start;
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

    fn unknown_section(&mut self, name: &Spanned<impl AsRef<str>>, value: &Value<'_>) {
        let shown = name.get_ref().as_ref().escape_debug().to_string();
        let what = match value.get_ref() {
            DeValue::Table(_) => format!("section `[{shown}]`"),
            _ => format!("key `{shown}`"),
        };
        let sections = SECTIONS.map(|section| format!("[{section}]"));
        let list = listed(&sections.each_ref().map(String::as_str));
        let hint = did_you_mean(name.get_ref().as_ref(), &SECTIONS);
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
        let (line, column) = place(self.text, offset);
        self.problems.push(Problem {
            file: self.path.to_path_buf(),
            line,
            column,
            message,
            suggestion,
        });
    }
}

fn is_variable(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// `a`, `b` and `c`
pub(super) fn listed(words: &[&str]) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
