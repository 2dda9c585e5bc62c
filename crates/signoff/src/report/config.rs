//! Settings as lines of TOML, which can be copied into a file.

use std::path::Path;

use serde_json::Value;
use signoff_runtime::trust::Trust;
use signoff_store::config::{SettingEntry, SettingLocation};

use crate::style::{DIM, paint, sanitize};

/// The configuration files, and whether the project's commands may run.
pub(crate) fn heading(user: Option<&Path>, project: Option<&Path>, trust: &Trust) -> Vec<String> {
    let file = |name: &str, path: Option<&Path>, none: &str| match path {
        Some(path) if path.exists() => format!("# {name}: {}", path.display()),
        Some(path) => format!("# {name}: {}, which does not exist", path.display()),
        None => format!("# {name}: {none}"),
    };
    let trust = match trust {
        Trust::NotNeeded => "it names no commands",
        Trust::Given => "its commands are trusted",
        Trust::Changed(_) => {
            "files that its commands run have changed since you trusted them: `signoff doctor` names them"
        }
        Trust::Missing(_) => "its commands are not trusted, so they will not run: `signoff trust`",
    };
    let mut project_line = file("project", project, "none here");
    if project.is_some_and(Path::exists) {
        project_line = format!("{project_line}; {trust}");
    }
    [file("user", user, "no home"), project_line]
        .iter()
        .map(|line| paint(DIM, line).to_string())
        .collect()
}

/// `key = value  # where it came from`, one below the other.
pub(crate) fn lines(entries: &[SettingEntry]) -> Vec<String> {
    let keys = entries.iter().map(|entry| entry.key.chars().count());
    let width = keys.max().unwrap_or(0);
    let settings: Vec<String> = entries
        .iter()
        .map(|entry| format!("{:width$} = {}", sanitize(&entry.key), toml(&entry.value)))
        .collect();
    let lengths = settings.iter().map(|text| text.chars().count());
    // A long command must not push the other comments out of sight.
    let column = lengths.filter(|length| *length <= 60).max().unwrap_or(0);
    entries
        .iter()
        .zip(settings)
        .map(|(entry, text)| {
            if entry.value.is_null() {
                // TOML cannot express an unset value.
                return paint(DIM, format!("# {} is not set", entry.key)).to_string();
            }
            let source = paint(DIM, format!("# {}", source(entry)));
            format!("{text:column$}  {source}")
        })
        .collect()
}

fn source(entry: &SettingEntry) -> String {
    match &entry.location {
        Some(SettingLocation::File { path, line, .. }) => format!("{}:{line}", path.display()),
        Some(SettingLocation::Variable(name)) => name.clone(),
        None => entry.origin.to_string(),
    }
}

/// A value alone: a string without its quotes.
pub(crate) fn value(entry: &SettingEntry) -> String {
    match &entry.value {
        Value::Null => String::new(),
        Value::String(text) => sanitize(text),
        other => toml(other),
    }
}

/// JSON and TOML agree on everything but tables.
fn toml(value: &Value) -> String {
    match value {
        Value::Array(items) => {
            let items: Vec<_> = items.iter().map(toml).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| format!("{key} = {}", toml(value)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            sanitize(&value.to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use signoff_store::config::Origin;

    use super::*;

    #[test]
    fn values_are_written_as_toml() {
        for (value, expected) in [
            (json!("a \"b\""), r#""a \"b\"""#),
            (json!(3), "3"),
            (json!(["x", true]), r#"["x", true]"#),
            (
                json!([{"owner": "bot", "tools": ["a"]}]),
                r#"[{ owner = "bot", tools = ["a"] }]"#,
            ),
        ] {
            assert_eq!(toml(&value), expected);
        }
    }

    #[test]
    fn alone_a_string_has_no_quotes() {
        let entry = |value| SettingEntry {
            key: "a.b".to_owned(),
            value,
            origin: Origin::BuiltIn,
            location: None,
        };
        assert_eq!(value(&entry(json!("key\u{1b}[0m"))), "key[0m");
        assert_eq!(value(&entry(json!(["a"]))), r#"["a"]"#);
        assert_eq!(value(&entry(Value::Null)), "");
    }
}
