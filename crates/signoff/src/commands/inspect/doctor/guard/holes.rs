//! What keeps an agent from calling the guard although it stands in its settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use signoff_api::doctor::GuardHole;
use signoff_plan::guard::Agent;
use signoff_runtime::project::ProcessContext;
use signoff_sandbox::{Command, Limits, Sandbox, Stdin};

use super::connected::{AgentSettings, json_file};

/// The holes of an agent whose guard stands in `guarded`. `skips_project`: Gemini CLI with `--skip-trust` made a call that a
/// project's hook denies.
pub(super) fn holes(
    settings: &AgentSettings<'_>,
    guarded: &[PathBuf],
    program: &Path,
    skips_project: bool,
) -> Vec<GuardHole> {
    match settings.agent {
        Agent::Claude => switched_off(settings, &["disableAllHooks"], &Value::Bool(true)),
        Agent::Codex => untrusted_hooks(settings.process, program),
        Agent::Gemini => {
            let mut holes =
                switched_off(settings, &["hooksConfig", "enabled"], &Value::Bool(false));
            holes.extend(disabled_by_name(settings));
            holes.extend(unread_in_project(settings, guarded, skips_project));
            holes
        }
        Agent::Opencode | Agent::Pi => Vec::new(),
    }
}

/// A setting, the person's or the project's, that switches every hook off.
fn switched_off(settings: &AgentSettings<'_>, key: &[&str], off: &Value) -> Vec<GuardHole> {
    let value = |path: &Path| {
        let settings = json_file(path);
        key.iter().fold(settings, |value, key| value[*key].clone())
    };
    let files = settings.files().filter(|path| value(path) == *off);
    let off = files.map(|path| GuardHole {
        what: format!("{} switches every hook off", path.display()),
        fix: format!("take `{}` out of it", key.join(".")),
    });
    off.collect()
}

/// Gemini CLI also leaves out single hooks, by their name or command.
fn disabled_by_name(settings: &AgentSettings<'_>) -> Vec<GuardHole> {
    let is_ours = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        name == "signoff" || name.contains("guard --agent gemini")
    };
    let names_ours = |path: &&PathBuf| {
        let settings = json_file(path);
        let disabled = settings["hooksConfig"]["disabled"].as_array();
        disabled.is_some_and(|disabled| disabled.iter().any(is_ours))
    };
    let holes = settings.files().filter(names_ours).map(|path| GuardHole {
        what: format!("{} switches the guard's hook off", path.display()),
        fix: "start `gemini`, and type `/hooks enable signoff`".to_owned(),
    });
    holes.collect()
}

/// In a folder that nobody has trusted, Gemini CLI does not read the project's hooks; with `--skip-trust` it works there
/// all the same.
fn unread_in_project(
    settings: &AgentSettings<'_>,
    guarded: &[PathBuf],
    skips_project: bool,
) -> Option<GuardHole> {
    let is_personal = guarded.iter().any(|path| settings.personal.contains(path));
    let workspace = settings.workspace?;
    if is_personal || !skips_project || is_trusted(settings, workspace) {
        return None;
    }
    Some(GuardHole {
        what: "the guard stands in this project's settings only, which Gemini CLI does not read in a folder that you have not trusted; `gemini --skip-trust` makes every call there".to_owned(),
        fix: "type `signoff connect gemini --user`, or start `gemini` here once and trust the folder".to_owned(),
    })
}

/// Has the person told Gemini CLI to trust this folder?
fn is_trusted(settings: &AgentSettings<'_>, workspace: &Path) -> bool {
    let Some(home) = &settings.home else {
        return false;
    };
    let own = json_file(&home.join(".gemini/settings.json"));
    if own["security"]["folderTrust"]["enabled"] == false {
        return true;
    }
    let rules = json_file(&home.join(".gemini/trustedFolders.json"));
    let rules = rules.as_object().into_iter().flatten();
    let applying = rules.filter_map(|(path, rule)| {
        let path = PathBuf::from(path);
        let path = path.canonicalize().unwrap_or(path);
        let folder = match rule.as_str()? {
            "TRUST_PARENT" => path.parent()?.to_owned(),
            _ => path,
        };
        let is_trust = rule != "DO_NOT_TRUST";
        workspace
            .starts_with(&folder)
            .then(|| (folder.components().count(), is_trust))
    });
    // The nearest folder counts, and doubt is not trust.
    let nearest = applying.max_by_key(|(depth, is_trust)| (*depth, !*is_trust));
    nearest.is_some_and(|(_, is_trust)| is_trust)
}

/// Codex skips hooks that nobody has reviewed, and does not say so. It tells who asks it.
fn untrusted_hooks(process: &ProcessContext, program: &Path) -> Vec<GuardHole> {
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
    if !hooks.iter().any(|hook| is_ours(&hook)) {
        return vec![GuardHole {
            what: "Codex does not read the hooks that the guard stands in: they are switched off, or those of a project that it does not trust".to_owned(),
            fix: "start `codex` here and trust the directory, or type `signoff connect codex --user`; then type `/hooks` in Codex, and trust those of Signoff".to_owned(),
        }];
    }
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
