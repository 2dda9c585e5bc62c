//! Whether a person is logged in to an agent, as far as files and variables tell.
//!
//! Files are looked at for their shape only: no value of them is kept or told.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::{Map, Value};

use super::known_agents::{Advice, KnownAgent, LoginFile, known_agent};
use super::requirements::written_path;
use crate::environment::Variables;

/// Larger files are not logins.
const LARGEST: u64 = 4 * 1024 * 1024;

/// Whether a login is there. Whether the service still takes it only a request would tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoginState {
    /// Here: a file (`~/…`) or a variable (`$NAME`).
    Found(String),
    Missing,
    /// The program is not one whose logins are known.
    Unknown,
}

/// Looks for what a known agent logs in with.
pub fn login_state(program: &str, home: Option<&Path>, variables: &Variables) -> LoginState {
    let Some(known) = known_agent(program) else {
        return LoginState::Unknown;
    };
    let file = || home.and_then(|home| login_file(known, home, variables));
    match login_variable(known, variables).or_else(file) {
        Some(found) => LoginState::Found(found),
        None => LoginState::Missing,
    }
}

/// What a person types to get a known agent and to log in to it.
pub fn agent_advice(program: &str) -> Option<Advice> {
    known_agent(program).map(|known| known.advice)
}

fn login_variable(known: &KnownAgent, variables: &Variables) -> Option<String> {
    let is_set = |name: &&&str| {
        let value = variables.get(OsStr::new(name));
        value.is_some_and(|value| !value.is_empty())
    };
    let mut names = known.login_variables.iter().copied().flatten();
    names.find(is_set).map(|name| format!("${name}"))
}

fn login_file(known: &KnownAgent, home: &Path, variables: &Variables) -> Option<String> {
    known.login_files.iter().find_map(|login| {
        let folders = known.folders.iter();
        let mut holders = folders.filter(|folder| folder.files.contains(&login.name));
        let path = holders.next()?.path(home, variables).join(login.name);
        login.is_login(&path).then(|| written_path(&path, home))
    })
}

impl LoginFile {
    fn is_login(&self, path: &Path) -> bool {
        let Some(object) = read_object(path) else {
            return false;
        };
        let is_given = |value: &Value| match value {
            Value::Null => false,
            Value::String(text) => !text.is_empty(),
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
        };
        match self.members {
            [] => object.values().any(is_given),
            members => members
                .iter()
                .any(|name| object.get(*name).is_some_and(is_given)),
        }
    }
}

fn read_object(path: &Path) -> Option<Map<String, Value>> {
    // Opening a pipe would wait for a writer.
    if !path.is_file() {
        return None;
    }
    let mut text = Vec::new();
    let file = File::open(path).ok()?;
    file.take(LARGEST).read_to_end(&mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Checks the login of a program with these files in its home and these variables.
    fn check(program: &str, files: &[(&str, &str)], variables: &[(&str, &str)], expected: &str) {
        let home = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = home.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let pairs = variables.iter();
        let variables = pairs.map(|(name, value)| (name.into(), value.into()));
        let found = login_state(program, Some(home.path()), &variables.collect());
        let found = match found {
            LoginState::Found(by) => by,
            LoginState::Missing => "missing".to_owned(),
            LoginState::Unknown => "unknown".to_owned(),
        };
        assert_eq!(found, expected, "{program} {files:?}");
    }

    #[test]
    fn a_login_is_a_file_of_the_right_shape() {
        let claude = ".claude/.credentials.json";
        check(
            "claude",
            &[(claude, r#"{"claudeAiOauth":{"a":1}}"#)],
            &[],
            "~/.claude/.credentials.json",
        );
        check(
            "claude",
            &[(claude, r#"{"claudeAiOauth":null}"#)],
            &[],
            "missing",
        );
        check("claude", &[(claude, "")], &[], "missing");
        check(
            "claude",
            &[(".claude.json", r#"{"userID":"x"}"#)],
            &[],
            "missing",
        );
        check(
            "claude",
            &[(".claude.json", r#"{"primaryApiKey":"x"}"#)],
            &[],
            "~/.claude.json",
        );
        let codex = r#"{"OPENAI_API_KEY":null,"tokens":{"id_token":"x"}}"#;
        check(
            "codex",
            &[(".codex/auth.json", codex)],
            &[],
            "~/.codex/auth.json",
        );
        check(
            "codex",
            &[(".codex/auth.json", r#"{"OPENAI_API_KEY":""}"#)],
            &[],
            "missing",
        );
        check(
            "gemini",
            &[(".gemini/oauth_creds.json", r#"{"refresh_token":"x"}"#)],
            &[],
            "~/.gemini/oauth_creds.json",
        );
        check("gemini", &[(".gemini/settings.json", "{}")], &[], "missing");
        let opencode = ".local/share/opencode/auth.json";
        check(
            "opencode",
            &[(opencode, r#"{"x":{"key":"y"}}"#)],
            &[],
            "~/.local/share/opencode/auth.json",
        );
        check("opencode", &[(opencode, "{}")], &[], "missing");
        check(
            "pi",
            &[(".pi/agent/auth.json", r#"{"x":{}}"#)],
            &[],
            "~/.pi/agent/auth.json",
        );
    }

    #[test]
    fn a_login_is_a_variable_that_is_set() {
        check(
            "claude",
            &[],
            &[("ANTHROPIC_API_KEY", "x")],
            "$ANTHROPIC_API_KEY",
        );
        check("claude", &[], &[("ANTHROPIC_API_KEY", "")], "missing");
        check("claude", &[], &[("ANTHROPIC_BASE_URL", "x")], "missing");
        check("pi", &[], &[("GROQ_API_KEY", "x")], "$GROQ_API_KEY");
    }

    #[test]
    fn a_login_is_found_where_a_variable_says() {
        let moved = tempfile::tempdir().unwrap();
        fs::write(moved.path().join("auth.json"), r#"{"tokens":{}}"#).unwrap();
        let place = moved.path().to_str().unwrap();
        let expected = format!("{place}/auth.json");
        check("codex", &[], &[("CODEX_HOME", place)], &expected);
    }

    #[test]
    fn adapters_log_in_as_their_agents_do_and_others_are_unknown() {
        check(
            "codex-acp",
            &[],
            &[("CODEX_API_KEY", "x")],
            "$CODEX_API_KEY",
        );
        check("my-agent", &[], &[], "unknown");
        check("/opt/claude", &[], &[], "unknown");
    }

    #[test]
    fn every_login_file_is_handed_over() {
        for program in ["claude", "codex", "gemini", "opencode", "pi"] {
            let known = known_agent(program).unwrap();
            for login in known.login_files {
                let is_given = |name| known.folders.iter().any(|one| one.files.contains(&name));
                assert!(is_given(login.name), "{program} {}", login.name);
            }
            let given: Vec<&str> = known.variables.iter().copied().flatten().copied().collect();
            for name in known.login_variables.iter().copied().flatten() {
                assert!(given.contains(name), "{program} {name}");
            }
        }
    }
}
