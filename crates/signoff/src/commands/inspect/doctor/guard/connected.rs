//! Whether the guard is in the settings of the person or the project, and whether the agent would call it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use signoff_api::doctor::GuardHole;
use signoff_plan::guard::Agent;
use signoff_runtime::project::ProcessContext;
use signoff_sandbox::{Command, Limits, Sandbox, Stdin};

/// Files that can hold the hook: first those of the home, then those of a project.
const FILES: [(Agent, &[&str], &[&str]); 5] = [
    (
        Agent::Claude,
        &[".claude/settings.json"],
        &[".claude/settings.json", ".claude/settings.local.json"],
    ),
    (Agent::Codex, &[".codex/hooks.json"], &[".codex/hooks.json"]),
    (
        Agent::Gemini,
        &[
            ".gemini/settings.json",
            ".gemini/extensions/signoff/hooks/hooks.json",
        ],
        &[".gemini/settings.json"],
    ),
    (
        Agent::Opencode,
        &[
            ".config/opencode/plugin/signoff.ts",
            ".config/opencode/plugins/signoff.ts",
        ],
        &[
            ".opencode/plugin/signoff.ts",
            ".opencode/plugins/signoff.ts",
        ],
    ),
    (
        Agent::Pi,
        &[".pi/agent/extensions/signoff.ts"],
        &[".pi/extensions/signoff.ts"],
    ),
];

/// The files in which the guard stands.
pub(super) fn settings_with_guard(
    process: &ProcessContext,
    workspace: Option<&Path>,
    agent: Agent,
) -> Vec<PathBuf> {
    let home = process.variables.get(OsStr::new("HOME")).map(PathBuf::from);
    let files = FILES.iter().filter(|(of, _, _)| *of == agent);
    let places = files.flat_map(|(_, in_home, in_project)| {
        let of_home = in_home
            .iter()
            .filter_map(|file| Some(home.as_ref()?.join(file)));
        let of_project = in_project
            .iter()
            .filter_map(|file| Some(workspace?.join(file)));
        of_home.chain(of_project).collect::<Vec<PathBuf>>()
    });
    places.filter(|path| has_guard(path, agent)).collect()
}

fn has_guard(path: &Path, agent: Agent) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    ["signoff", "guard", "--agent", agent.name()]
        .iter()
        .all(|word| text.contains(word))
}

/// What keeps an agent from calling the guard although it stands in its settings.
pub(super) fn holes(
    process: &ProcessContext,
    agent: Agent,
    program: &Path,
    files: &[PathBuf],
) -> Vec<GuardHole> {
    match agent {
        Agent::Claude => switched_off(files, "disableAllHooks"),
        Agent::Codex => untrusted(process, program),
        Agent::Gemini | Agent::Opencode | Agent::Pi => Vec::new(),
    }
}

fn switched_off(files: &[PathBuf], key: &str) -> Vec<GuardHole> {
    let is_off = |path: &&PathBuf| {
        let text = fs::read_to_string(path).unwrap_or_default();
        let settings: Value = serde_json::from_str(&text).unwrap_or_default();
        settings.get(key) == Some(&Value::Bool(true))
    };
    let off = files.iter().filter(is_off).map(|path| GuardHole {
        what: format!("{} switches every hook off", path.display()),
        fix: format!("take `{key}` out of it"),
    });
    off.collect()
}

/// Codex skips hooks that nobody has reviewed, and does not say so. It tells who asks it.
fn untrusted(process: &ProcessContext, program: &Path) -> Vec<GuardHole> {
    let fix = "start `codex`, type `/hooks`, and trust those of Signoff".to_owned();
    let Some(hooks) = listed_hooks(process, program) else {
        let what = "Codex does not tell whether it runs the guard".to_owned();
        return vec![GuardHole { what, fix }];
    };
    let is_ours = |hook: &&Value| {
        let command = hook["command"].as_str().unwrap_or_default();
        command.contains(" guard --agent codex")
    };
    let is_run = |hook: &Value| {
        let is_trusted = hook["trustStatus"] == "trusted" || hook["isManaged"] == true;
        is_trusted && hook["enabled"] != false
    };
    let skipped = hooks.iter().filter(is_ours).filter(|hook| !is_run(hook));
    let holes = skipped.map(|hook| GuardHole {
        what: format!(
            "Codex skips the guard ({}): the hook is {}",
            hook["eventName"].as_str().unwrap_or("?"),
            hook["trustStatus"].as_str().unwrap_or("not trusted")
        ),
        fix: fix.clone(),
    });
    holes.collect()
}

/// Every hook that Codex knows in this directory.
fn listed_hooks(process: &ProcessContext, program: &Path) -> Option<Vec<Value>> {
    let messages = [
        json!({"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "signoff", "version": env!("CARGO_PKG_VERSION")}}}),
        json!({"method": "initialized"}),
        json!({"id": 2, "method": "hooks/list", "params": {"cwds": [process.directory]}}),
    ];
    let input = messages.map(|one| one.to_string()).join("\n") + "\n";
    // It ends with its input, also before it has answered.
    let script = "{ printf %s \"$2\"; sleep 5; } | exec \"$1\" app-server";
    let names = ["PATH", "HOME", "CODEX_HOME"].map(OsString::from);
    let given = names.into_iter().filter_map(|name| {
        let value = process.variables.get(&name)?.clone();
        Some((name, value))
    });
    let words = ["/bin/sh", "-c", script, "sh"].map(OsString::from);
    let command = Command {
        argv: (words.into_iter())
            .chain([program.into(), input.into()])
            .collect(),
        cwd: process.directory.clone(),
        env: given.collect(),
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(Duration::from_secs(30)),
            output: 1024 * 1024,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    };
    let ended = Sandbox::new().ok()?.start(command).ok()?.wait();
    let text = ended.stdout.text();
    let mut lines = text
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let answer = lines.find(|line| line["id"] == 2)?;
    let directories = answer["result"]["data"].as_array()?.iter();
    let hooks = directories.filter_map(|one| one["hooks"].as_array());
    Some(hooks.flatten().cloned().collect())
}
