//! The terms of a signature: what, besides the plan, decides how it runs.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::config::{self, Config, IgnoredFiles, SandboxMode};
use crate::files::FileError;
use crate::files::hash::sha256_hex_of;

/// Name and version of this format. Version 1 had no `path`, `prompt` and `files`; signatures over it are no longer
/// valid.
pub const SCHEMA: &str = "signoff.terms/2";

/// What the terms depend on besides the configuration.
#[derive(Debug, Clone, Copy)]
pub struct TermsContext<'a> {
    /// PATH of the process. It is part of the terms only if agents and contracts see it.
    pub path: &'a OsStr,
    /// The user's home. The terms write it as `~`: signatures are committed, and other users have other homes.
    pub home: Option<&'a Path>,
    /// A hash of the texts that prompts are built from.
    pub prompt: &'a str,
    /// Files that decide about verdicts: their paths in the workspace, and their hashes.
    pub files: &'a BTreeMap<String, String>,
    /// Files that replace the prompts of models which decide in a run: their paths in the workspace, and their hashes.
    pub prompts: &'a BTreeMap<String, String>,
    /// Tools that steps call.
    pub called: &'a CalledTools,
}

/// The tools that a plan's steps call themselves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CalledTools {
    /// A hash of each tool's description, by the tool's name.
    pub tools: BTreeMap<String, String>,
    /// The configuration of each server that provides one of them, by the server's name.
    pub servers: BTreeMap<String, Value>,
}

/// The terms under which a plan using these roles would run now.
///
/// They contain only the agents of these roles; a step that names no role uses `default`. A role without an agent adds
/// nothing, so configuring it later changes the terms.
pub fn terms<'a>(
    config: &Config,
    roles: impl Iterator<Item = &'a str>,
    context: TermsContext<'_>,
) -> Value {
    let used: BTreeSet<&str> = roles.collect();
    let mut agents = Map::new();
    for role in &used {
        if let Some((name, agent)) = config.agent_for_role(Some(role)) {
            agents.insert(name.to_owned(), agent.terms());
        }
    }
    let sees_path = config.sandbox.env.value.iter().any(|name| name == "PATH");
    // A plan without agents has no prompts.
    let prompt = (!used.is_empty()).then_some(context.prompt);
    let mut terms = json!({
        "schema": SCHEMA,
        "agents": agents,
        "contract": contract(&config.contract),
        "files": context.files,
        "path": sees_path.then(|| search_path(context.path, context.home)),
        "prompt": prompt,
        "run": run(&config.run),
        "sandbox": sandbox(&config.sandbox),
    });
    // Left out where there are none: such terms, and so their signatures, stay what they were.
    let called = [
        ("prompts", json!(context.prompts)),
        ("tools", json!(context.called.tools)),
        ("servers", json!(context.called.servers)),
    ];
    if let Value::Object(terms) = &mut terms {
        let called = called.into_iter();
        let called = called.filter(|(_, map)| map.as_object().is_some_and(|map| !map.is_empty()));
        terms.extend(called.map(|(name, map)| (name.to_owned(), map)));
    }
    terms
}

/// Terms of runs that use the checkout's ignored files stay as they were.
fn contract(config: &config::ContractSettings) -> Value {
    let mut terms = json!({
        "shell": config.shell.value,
        "timeout_s": seconds(config.timeout.value),
        "baseline": config.baseline.value,
    });
    // What an agent leaves there has a say in how its contract ends.
    if config.ignored.value != IgnoredFiles::Checkout
        && let Value::Object(terms) = &mut terms
    {
        terms.insert("ignored".to_owned(), config.ignored.value.name().into());
    }
    terms
}

/// Empty lists are left out, so that older terms stay as they were.
fn run(config: &config::RunSettings) -> Value {
    let mut terms = Map::new();
    let step_timeout = seconds(config.step_timeout.value);
    terms.insert("step_timeout_s".to_owned(), step_timeout);
    // What is run or copied before a contract has a say in how it ends.
    let lists = [("prepare", &config.prepare), ("copy", &config.copy)];
    let given = lists.into_iter().filter(|(_, list)| !list.value.is_empty());
    terms.extend(given.map(|(name, list)| (name.to_owned(), json!(list.value))));
    Value::Object(terms)
}

/// Defaults are left out, so that older terms stay as they were.
fn sandbox(config: &config::SandboxSettings) -> Value {
    // A set: the order in which variables are let through decides nothing.
    let env: BTreeSet<&String> = config.env.value.iter().collect();
    let mut terms = Map::new();
    terms.insert("env".to_owned(), json!(env));
    if config.mode.value != SandboxMode::Auto {
        terms.insert("mode".to_owned(), config.mode.value.name().into());
    }
    if !config.network.value {
        terms.insert("network".to_owned(), false.into());
    }
    let lists = [("home", &config.home), ("writable", &config.writable)];
    for (name, list) in lists.into_iter().filter(|(_, list)| !list.value.is_empty()) {
        let paths: BTreeSet<&String> = list.value.iter().collect();
        terms.insert(name.to_owned(), json!(paths));
    }
    Value::Object(terms)
}

/// The directories of a PATH in which programs are looked for, each once: a directory that is
/// searched again finds nothing new, and an empty entry is not searched at all.
fn search_path(path: &OsStr, home: Option<&Path>) -> Vec<String> {
    let mut entries = Vec::new();
    let written = std::env::split_paths(path);
    for entry in written.filter(|entry| !entry.as_os_str().is_empty()) {
        // Without the slashes that make no difference.
        let entry: PathBuf = entry.components().collect();
        let entry = match home.and_then(|home| entry.strip_prefix(home).ok()) {
            Some(below) => format!("~/{}", below.display()),
            None if entry.is_absolute() => entry.display().to_string(),
            // So that a directory called `~` is not taken for the home.
            None => format!("./{}", entry.display()),
        };
        if !entries.contains(&entry) {
            entries.push(entry);
        }
    }
    entries
}

/// The hash of a file, as the terms record it. `None` if there is no such file.
pub fn file_hash(path: &Path) -> Result<Option<String>, FileError> {
    // Opening a pipe would wait for a writer.
    if !path.is_file() {
        return Ok(None);
    }
    let hash = File::open(path)
        .and_then(sha256_hex_of)
        .map_err(FileError::at("read", path))?;
    Ok(Some(hash))
}

fn seconds(duration: Duration) -> Value {
    if duration.subsec_nanos() == 0 {
        return duration.as_secs().into();
    }
    duration.as_secs_f64().into()
}

#[cfg(test)]
mod tests {
    use signoff_plan::digest::Digest;

    use super::*;
    use crate::config::{AgentSettings, DriverName, RetrySession, Setting};

    fn agent(program: &str) -> Setting<AgentSettings> {
        Setting::built_in(AgentSettings {
            command: vec![program.to_owned(), "{task}".to_owned()],
            ..AgentSettings::of_driver(DriverName::Command)
        })
    }

    fn of(config: &Config, roles: &[&str], path: &str) -> Value {
        let files = [("check.sh".to_owned(), "abc".to_owned())].into();
        let context = TermsContext {
            path: OsStr::new(path),
            home: None,
            prompt: "def",
            files: &files,
            prompts: &BTreeMap::new(),
            called: &CalledTools::default(),
        };
        terms(config, roles.iter().copied(), context)
    }

    #[test]
    fn only_the_agents_that_the_plan_uses() {
        let mut config = Config::default();
        config.agents.insert("default".to_owned(), agent("anyone"));
        config.agents.insert("tester".to_owned(), agent("tester"));
        config.agents.insert("unused".to_owned(), agent("unused"));
        let value = of(&config, &["coder", "tester", "coder"], "/usr/bin:/bin");
        let expected = json!({
            "schema": "signoff.terms/2",
            "agents": {
                "default": {"driver": "command", "command": ["anyone", "{task}"]},
                "tester": {"driver": "command", "command": ["tester", "{task}"]},
            },
            "contract": {"shell": "bash", "timeout_s": 600, "baseline": true},
            "files": {"check.sh": "abc"},
            "path": ["/usr/bin", "/bin"],
            "prompt": "def",
            "run": {"step_timeout_s": 600},
            "sandbox": {"env": ["HOME", "LANG", "PATH", "TERM"]},
        });
        assert_eq!(value, expected);
        // What was signed before agents had drivers and models stays signed.
        let digest = Digest::of_json(&value).hex();
        assert_eq!(
            digest,
            "6626f03dc401a59c8eb505c73e15af7a4481e489c012ddbcdcaa6c302fa0f88c"
        );
    }

    #[test]
    fn what_an_agent_is_given_besides_counts() {
        let mut config = Config::default();
        let mut given = agent("mine");
        given.value.login = vec!["~/.mine/auth".to_owned()];
        given.value.env = vec!["MINE".to_owned()];
        config.agents.insert("default".to_owned(), given);
        assert_eq!(
            of(&config, &["coder"], "")["agents"]["default"],
            json!({"driver": "command", "command": ["mine", "{task}"], "login": ["~/.mine/auth"], "env": ["MINE"]}),
        );
    }

    #[test]
    fn a_drivers_agent_counts_with_what_is_configured_for_it() {
        let mut config = Config::default();
        let terms_of = |config: &Config, role| of(config, &[role], "")["agents"].clone();
        let pi = json!({"pi": {"driver": "pi"}});
        assert_eq!(terms_of(&config, "pi"), pi);
        let mut agent = AgentSettings::of_driver(DriverName::Claude);
        agent.retry_session = RetrySession::Continue;
        config
            .agents
            .insert("coder".to_owned(), Setting::built_in(agent.clone()));
        assert_eq!(
            terms_of(&config, "coder"),
            json!({"coder": {"driver": "claude"}})
        );
        agent.model = Some("big".to_owned());
        agent.command = vec!["/opt/claude".to_owned()];
        config
            .agents
            .insert("coder".to_owned(), Setting::built_in(agent));
        assert_eq!(
            terms_of(&config, "coder"),
            json!({"coder": {"driver": "claude", "command": ["/opt/claude"], "model": "big"}}),
        );
    }

    #[test]
    fn what_makes_a_worktree_usable_counts_where_there_is_any() {
        let mut config = Config::default();
        config.run.prepare.value = vec!["npm ci".to_owned()];
        config.run.copy.value = vec![".env".to_owned()];
        assert_eq!(
            of(&config, &[], "")["run"],
            json!({"step_timeout_s": 600, "prepare": ["npm ci"], "copy": [".env"]}),
        );
    }

    #[test]
    fn whose_ignored_files_contracts_find_counts_where_they_are_not_the_checkouts() {
        let mut config = Config::default();
        let contract = |config: &Config| of(config, &[], "")["contract"].clone();
        assert_eq!(contract(&config).get("ignored"), None);
        config.contract.ignored.value = IgnoredFiles::Attempt;
        assert_eq!(contract(&config)["ignored"], json!("attempt"));
    }

    #[test]
    fn what_is_seen_and_written_besides_counts_where_there_is_any() {
        let mut config = Config::default();
        config.sandbox.home.value = ["~/b", "~/a"].map(str::to_owned).to_vec();
        config.sandbox.writable.value = vec!["/var/cache/x".to_owned()];
        let sandbox = &of(&config, &[], "")["sandbox"];
        assert_eq!(sandbox["home"], json!(["~/a", "~/b"]));
        assert_eq!(sandbox["writable"], json!(["/var/cache/x"]));
    }

    #[test]
    fn what_nobody_sees_decides_nothing() {
        let mut config = Config::default();
        config.sandbox.env.value = vec!["HOME".to_owned()];
        let value = of(&config, &[], "/usr/bin");
        assert_eq!(
            (&value["path"], &value["prompt"]),
            (&json!(null), &json!(null))
        );
    }

    #[test]
    fn the_search_counts_and_not_its_spelling() {
        let check = |path: &str, expected: &[&str]| {
            let home = Some(Path::new("/home/ada"));
            assert_eq!(search_path(OsStr::new(path), home), expected, "{path}");
        };
        check("/b:/a/::/b/:/:/a//x:/a", &["/b", "/a", "/", "/a/x"]);
        check("/a:/b", &["/a", "/b"]);
        check(
            "/home/ada/bin:~/bin:rel:/home/adam/bin",
            &["~/bin", "./~/bin", "./rel", "/home/adam/bin"],
        );
        check("", &[]);
    }

    #[test]
    fn files_are_hashed_by_content() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        assert_eq!(file_hash(&path).unwrap(), None);
        assert_eq!(file_hash(dir.path()).unwrap(), None);
        std::fs::write(&path, vec![b'a'; 100_000]).unwrap();
        let expected = crate::files::hash::sha256_hex(&vec![b'a'; 100_000]);
        assert_eq!(file_hash(&path).unwrap(), Some(expected));
    }

    #[test]
    fn parts_of_a_second_count() {
        assert_eq!(seconds(Duration::from_millis(1500)), json!(1.5));
        assert_eq!(seconds(Duration::from_secs(2)), json!(2));
    }
}
