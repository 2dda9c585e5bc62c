//! `[engine]`: the database and the machines that runs are shared with.

use std::collections::BTreeMap;

use toml::de::DeValue;

use crate::config::read::Reader;
use crate::config::value::Value;
use crate::config::{Dollars, Setting};

/// What says that runs stay on this machine.
const LOCAL: &str = "local";

/// `[engine]`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterSettings {
    /// The Postgres database that runs are shared through; none = they stay on this machine.
    pub url: Setting<ClusterUrl>,
    /// The git repository that carries the work of a project's runs, by the project's id. A machine takes part in no other
    /// project.
    pub projects: Setting<BTreeMap<String, String>>,
    /// Keys of the machines whose orders this one follows.
    pub orchestrators: Setting<Vec<String>>,
    /// Keys of the machines whose reports this one believes.
    pub workers: Setting<Vec<String>>,
    /// Contracts are for machines with the role `verifier`, and not for those that did the work.
    pub verifier: Setting<bool>,
    /// What all runs together may cost in a day; none = as much as they like.
    pub usd_per_day: Setting<Option<Dollars>>,
}

impl Default for ClusterSettings {
    fn default() -> Self {
        Self {
            url: Setting::built_in(ClusterUrl::default()),
            projects: Setting::built_in(BTreeMap::new()),
            orchestrators: Setting::built_in(Vec::new()),
            workers: Setting::built_in(Vec::new()),
            verifier: Setting::built_in(false),
            usd_per_day: Setting::built_in(None),
        }
    }
}

/// The address of a database, with its password. It is never shown whole.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct ClusterUrl(Option<String>);

impl ClusterUrl {
    /// Reads an address; `local` is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == LOCAL {
            return Ok(Self(None));
        }
        let is_postgres = ["postgres://", "postgresql://"]
            .iter()
            .any(|scheme| text.starts_with(scheme));
        if !is_postgres {
            return Err("must be `local` or begin with `postgres://`".to_owned());
        }
        Ok(Self(Some(text.to_owned())))
    }

    /// The address, password and all, for whoever connects.
    pub fn address(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl std::fmt::Display for ClusterUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Some(text) = &self.0 else {
            return f.write_str(LOCAL);
        };
        let (scheme, rest) = text.split_once("://").unwrap_or(("postgres", text));
        // A parameter can be a password, too.
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        match rest.rsplit_once('@') {
            Some((user, server)) => {
                let name = user.split(':').next().unwrap_or_default();
                write!(f, "{scheme}://{name}@{server}")
            }
            None => write!(f, "{scheme}://{rest}"),
        }
    }
}

impl std::fmt::Debug for ClusterUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "EngineUrl({self})")
    }
}

impl Reader<'_> {
    pub(in crate::config) fn engine_url(&mut self, value: &Value<'_>) -> Option<ClusterUrl> {
        let text = self.text(value)?;
        match ClusterUrl::parse(&text) {
            Ok(url) => Some(url),
            Err(message) => {
                let hint = "write one like `postgres://signoff@db.example/signoff`".to_owned();
                self.problem(value, message, Some(hint));
                None
            }
        }
    }

    pub(in crate::config) fn shared_projects(
        &mut self,
        section: &Value<'_>,
    ) -> Option<BTreeMap<String, String>> {
        let DeValue::Table(table) = section.get_ref() else {
            let expected = "a section `[engine.projects]` with lines like `PROJECT-ID = \"git@host:repo.git\"`";
            return self.wrong_type(section, expected, section.get_ref());
        };
        let before = self.problems.len();
        let mut projects = BTreeMap::new();
        for (id, value) in table {
            let Some(remote) = self.text(value) else {
                continue;
            };
            // `ext::` and its like name a command.
            if remote.contains("::") || remote.starts_with('-') {
                let message = "is not the address of a git repository".to_owned();
                self.problem(value, message, None);
                continue;
            }
            projects.insert(id.get_ref().clone().into_owned(), remote);
        }
        (self.problems.len() == before).then_some(projects)
    }

    /// Public keys of machines.
    pub(in crate::config) fn machine_keys(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut keys = Vec::new();
        for (item, text) in self.texts(value)? {
            let hex = text.strip_prefix("ed25519:").unwrap_or_default();
            if hex.len() != 64 || !hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                let message = format!("`{}` is not the key of a machine", text.escape_debug());
                let hint = "`signoff worker --key` prints that of its machine".to_owned();
                self.problem(item, message, Some(hint));
            } else {
                keys.push(text.to_ascii_lowercase());
            }
        }
        (self.problems.len() == before).then_some(keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_never_shown() {
        let shown = |text: &str| ClusterUrl::parse(text).unwrap().to_string();
        assert_eq!(shown("local"), "local");
        assert_eq!(
            shown("postgres://ada:pass@word@db/runs?password=x"),
            "postgres://ada@db/runs"
        );
        assert_eq!(shown("postgres:///runs?host=/run/pg"), "postgres:///runs");
        let url = ClusterUrl::parse("postgres://a:secret@db/x").unwrap();
        assert!(!format!("{url:?}").contains("secret"));
        assert!(ClusterUrl::parse("mysql://db").is_err());
    }
}
