//! Settings from the environment: `SIGNOFF_SECTION_KEY`, in capitals.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use toml::Spanned;
use toml::de::{DeArray, DeValue};

use super::key::{KEYS, Key, VariableKind};
use super::problem::nearest;
use super::read::{ReadSource, Reader};
use super::value::Value;
use super::{Config, Origin, Problem, SettingLocation};

const PREFIX: &str = "SIGNOFF_";

/// Names that are not settings: marks that a run sets, and switches of our own tests and CI.
const NOT_SETTINGS: [&str; 17] = [
    "SIGNOFF_INSIDE",
    "SIGNOFF_SCOPE",
    "SIGNOFF_DENIED",
    "SIGNOFF_ITEM",
    "SIGNOFF_NOTIFY_RUN",
    "SIGNOFF_NOTIFY_ITEM",
    "SIGNOFF_NOTIFY_KIND",
    "SIGNOFF_NOTIFY_QUESTION",
    "SIGNOFF_NOTIFY_PLAN",
    "SIGNOFF_FAILPOINT",
    "SIGNOFF_CI_CACHE",
    "SIGNOFF_FUZZ_SECONDS",
    "SIGNOFF_SOAK",
    "SIGNOFF_STORE_TEST_FILE",
    "SIGNOFF_STORE_TEST_TASK",
    "SIGNOFF_TEST_AGENTS",
    "SIGNOFF_TEST_PART",
];

/// Applies the variables that are settings; adds what is wrong with them to `problems`.
pub(super) fn apply(
    config: &mut Config,
    variables: &BTreeMap<OsString, OsString>,
    problems: &mut Vec<Problem>,
) {
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| name.starts_with(PREFIX)) else {
            continue;
        };
        match KEYS.iter().find(|key| key.variable() == name) {
            Some(key) => problems.extend(set(config, key, name, value)),
            None => problems.extend(unknown_variable(name)),
        }
    }
}

fn set(config: &mut Config, key: &Key, name: &str, value: &OsStr) -> Vec<Problem> {
    let mut reader = Reader {
        from: ReadSource::Variable(name),
        origin: Origin::Environment,
        problems: Vec::new(),
    };
    match value.to_str() {
        None => reader.problem_at(0, "the value is not UTF-8".to_owned(), None),
        Some(text) => match parse(key.kind, text) {
            Ok(value) => reader.value(key, &value, config),
            Err(message) => reader.problem_at(0, message, None),
        },
    }
    reader.problems
}

/// The value that a variable's text stands for.
fn parse(kind: VariableKind, text: &str) -> Result<Value<'_>, String> {
    let text = text.trim();
    let string = |text| Spanned::new(0..0, DeValue::String(text));
    match kind {
        VariableKind::Text => Ok(string(text.into())),
        VariableKind::List if !text.starts_with('[') => {
            let words = text.split(',').map(str::trim);
            let mut list = DeArray::new();
            for word in words.filter(|word| !word.is_empty()) {
                list.push(string(word.into()));
            }
            Ok(Spanned::new(0..0, DeValue::Array(list)))
        }
        // A value that is no literal is a text; reading it as the setting's type reports what it should be.
        VariableKind::Literal => Ok(DeValue::parse(text).unwrap_or_else(|_| string(text.into()))),
        VariableKind::List => {
            DeValue::parse(text).map_err(|error| error.message().replace('\n', "; "))
        }
    }
}

/// Whether a variable's name, without `SIGNOFF_`, begins with a section.
fn in_section(name: &str, section: &str) -> bool {
    name.strip_prefix(&section.to_uppercase())
        .is_some_and(|rest| rest.starts_with('_'))
}

/// A variable that is not ours may belong to another program, unless it looks like a setting.
fn unknown_variable(name: &str) -> Option<Problem> {
    if NOT_SETTINGS.contains(&name) {
        return None;
    }
    let rest = name.strip_prefix(PREFIX)?;
    let problem = |message, suggestion| {
        Some(Problem {
            location: SettingLocation::Variable(name.to_owned()),
            message,
            suggestion,
        })
    };
    let sections = [
        ("AGENTS_", "agents"),
        ("PRICES_", "prices"),
        ("MCP_", "tool servers"),
    ];
    for (section, what) in sections {
        if rest.starts_with(section) {
            let message = format!("{what} cannot be set from the environment");
            let hint = "write it into a configuration file".to_owned();
            return problem(message, Some(hint));
        }
    }
    // Compared without the prefix, which makes everything look alike.
    let known: Vec<String> = KEYS.iter().map(Key::variable).collect();
    let known: Vec<&str> = known
        .iter()
        .filter_map(|known| known.strip_prefix(PREFIX))
        .collect();
    let suggestion = nearest(rest, &known).map(|near| format!("did you mean `{PREFIX}{near}`?"));
    let in_section = KEYS.iter().any(|key| in_section(rest, key.section));
    (in_section || suggestion.is_some()).then_some(())?;
    let suggestion = suggestion.unwrap_or_else(|| {
        "`signoff config` lists the settings; the name is SIGNOFF_SECTION_KEY".to_owned()
    });
    problem("there is no such setting".to_owned(), Some(suggestion))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what loading with this variable says.
    #[track_caller]
    fn check(name: &str, value: &str, expected: &[&str]) -> Config {
        let mut config = Config::default();
        let mut problems = Vec::new();
        let variables = [(name.into(), value.into())].into();
        apply(&mut config, &variables, &mut problems);
        let found: Vec<_> = problems.iter().map(ToString::to_string).collect();
        assert_eq!(found, expected, "{name}={value}");
        config
    }

    #[test]
    fn a_setting_is_its_section_and_its_key() {
        let config = check("SIGNOFF_APPROVAL_PROOF", "key", &[]);
        assert_eq!(config.approval.proof.value, crate::signatures::Proof::Key);
        assert_eq!(config.approval.proof.origin, Origin::Environment);
        let location = SettingLocation::Variable("SIGNOFF_APPROVAL_PROOF".to_owned());
        assert_eq!(config.approval.proof.location, Some(location));
        let config = check("SIGNOFF_PLANS_STALE_AFTER_DAYS", " 7 ", &[]);
        assert_eq!(config.plans.stale_after_days.value, 7);
        let config = check("SIGNOFF_RUN_STEP_TIMEOUT", "1h 30m", &[]);
        assert_eq!(config.run.step_timeout.value.as_secs(), 5400);
        let config = check("SIGNOFF_CONTRACT_BASELINE", "false", &[]);
        assert!(!config.contract.baseline.value);
        let config = check("SIGNOFF_RUN_ISOLATION", "shared", &[]);
        assert_eq!(config.run.isolation.value, super::super::Isolation::Shared);
        let config = check("SIGNOFF_RUN_PREPARE", "npm ci, make gen", &[]);
        assert_eq!(config.run.prepare.value, ["npm ci", "make gen"]);
    }

    #[test]
    fn lists_are_words_or_toml() {
        for (text, expected) in [
            ("PATH, HOME", &["PATH", "HOME"][..]),
            (r#"["HOME"]"#, &["HOME"]),
            ("", &[]),
        ] {
            let config = check("SIGNOFF_SANDBOX_ENV", text, &[]);
            assert_eq!(config.sandbox.env.value, expected, "{text}");
        }
        check("SIGNOFF_APPROVAL_AUTO", "[]", &[]);
    }

    #[test]
    fn only_tighter() {
        check(
            "SIGNOFF_APPROVAL_REQUIRED",
            "false",
            &[
                "SIGNOFF_APPROVAL_REQUIRED: the environment cannot loosen `[approval] required` from `true` (built-in) to `false`; only your own configuration can",
            ],
        );
        check(
            "SIGNOFF_SANDBOX_ENV",
            "PATH,TOKEN",
            &[
                "SIGNOFF_SANDBOX_ENV: the environment cannot let the variable `TOKEN` through; add it to `[sandbox] env` in your own configuration",
            ],
        );
    }

    #[test]
    fn what_looks_like_a_setting_must_be_one() {
        check(
            "SIGNOFF_APROVAL_PROOF",
            "key",
            &[
                "SIGNOFF_APROVAL_PROOF: there is no such setting; did you mean `SIGNOFF_APPROVAL_PROOF`?",
            ],
        );
        check(
            "SIGNOFF_CONTRACT_WHATEVER",
            "1",
            &[
                "SIGNOFF_CONTRACT_WHATEVER: there is no such setting; `signoff config` lists the settings; the name is SIGNOFF_SECTION_KEY",
            ],
        );
        check("SIGNOFF_ENGINE_URL", "local", &[]);
        check(
            "SIGNOFF_AGENTS_CODER",
            "claude",
            &[
                "SIGNOFF_AGENTS_CODER: agents cannot be set from the environment; write it into a configuration file",
            ],
        );
        check(
            "SIGNOFF_MCP_SERVERS",
            "x",
            &[
                "SIGNOFF_MCP_SERVERS: tool servers cannot be set from the environment; write it into a configuration file",
            ],
        );
        for name in [
            "SIGNOFF_INSIDE",
            "SIGNOFF_SOAK",
            "SIGNOFF_HOME",
            "MY_SIGNOFF_RUN_JOBS",
        ] {
            check(name, "x", &[]);
        }
    }

    #[test]
    fn values_are_as_strict_as_in_a_file() {
        check(
            "SIGNOFF_CONTRACT_BASELINE",
            "yes",
            &["SIGNOFF_CONTRACT_BASELINE: expected `true` or `false`, found a string"],
        );
        check(
            "SIGNOFF_APPROVAL_AUTO",
            "[{]",
            &["SIGNOFF_APPROVAL_AUTO: invalid inline table element, expected key"],
        );
        check(
            "SIGNOFF_PLANS_MAX_REJECTIONS",
            "0",
            &["SIGNOFF_PLANS_MAX_REJECTIONS: must be a whole number from 1 to 100000"],
        );
    }
}
