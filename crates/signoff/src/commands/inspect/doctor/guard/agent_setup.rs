//! How each agent is given a hook and a model on loopback, and started.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use signoff_plan::guard::Agent;
use signoff_stub::ClientSettings;

use super::bypass::HookPlace;
use super::situation::Situation;

/// What an agent needs for one canary.
pub(super) struct AgentSetup {
    /// By their path in the home.
    pub(super) files: Vec<(PathBuf, String)>,
    /// By their path in the project.
    pub(super) project_files: Vec<(PathBuf, String)>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) arguments: Vec<String>,
}

/// What the agent is asked to do; the model does not mind.
const TASK: &str = "Do what the script says.";

pub(super) fn set_up(
    agent: Agent,
    situation: Situation,
    hook: &str,
    stub: &ClientSettings,
) -> AgentSetup {
    let mut setup = AgentSetup {
        files: (stub.files.iter())
            .map(|(path, text)| (PathBuf::from(path), text.clone()))
            .collect(),
        project_files: Vec::new(),
        variables: (stub.variables.iter())
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        arguments: arguments(agent, situation),
    };
    match agent {
        Agent::Claude => {
            let entry = json!([{"matcher": "*", "hooks": [command(hook, 60)]}]);
            setup.merge(
                ".claude/settings.json",
                "hooks",
                json!({"PreToolUse": entry}),
            );
            // As root it refuses to skip its questions, unless this is set.
            setup
                .variables
                .push(("IS_SANDBOX".to_owned(), "1".to_owned()));
        }
        Agent::Codex => {
            let hooks = json!({"hooks": {"PreToolUse": [{"hooks": [command(hook, 60)]}]}});
            setup.add(".codex/hooks.json", hooks.to_string());
        }
        Agent::Gemini => setup.add_gemini(situation.hook_place(), hook),
        Agent::Opencode => setup.add(
            ".config/opencode/plugin/canary.js",
            with_hook(include_str!("opencode.js"), hook),
        ),
        Agent::Pi => setup.add(
            ".pi/agent/extensions/canary.ts",
            with_hook(include_str!("pi.ts"), hook),
        ),
    }
    setup
}

impl AgentSetup {
    fn add(&mut self, path: &str, text: String) {
        self.files.push((PathBuf::from(path), text));
    }

    fn add_gemini(&mut self, place: HookPlace, hook: &str) {
        let entry = json!([{"matcher": ".*", "hooks": [command(hook, 60_000)]}]);
        let hooks = json!({"BeforeTool": entry});
        match place {
            HookPlace::Home => self.merge(".gemini/settings.json", "hooks", hooks),
            HookPlace::Project => {
                let settings = json!({"hooks": hooks}).to_string();
                let path = PathBuf::from(".gemini/settings.json");
                self.project_files.push((path, settings));
            }
            HookPlace::Extension => {
                let manifest = json!({"name": "canary", "version": "1.0.0"});
                let hooks = json!({"hooks": hooks});
                let folder = ".gemini/extensions/canary";
                self.add(
                    &format!("{folder}/gemini-extension.json"),
                    manifest.to_string(),
                );
                self.add(&format!("{folder}/hooks/hooks.json"), hooks.to_string());
            }
        }
    }

    /// Adds a member to a JSON file of the stub's settings.
    fn merge(&mut self, path: &str, key: &str, value: Value) {
        let found = (self.files.iter_mut()).find(|(known, _)| known == Path::new(path));
        let Some((_, text)) = found else {
            return self.add(path, json!({key: value}).to_string());
        };
        let mut settings: Value = serde_json::from_str(text).unwrap_or_else(|_| json!({}));
        if let Some(map) = settings.as_object_mut() {
            map.insert(key.to_owned(), value);
        }
        *text = settings.to_string();
    }
}

fn command(hook: &str, timeout: u32) -> Value {
    json!({"name": "canary", "type": "command", "command": hook, "timeout": timeout})
}

fn with_hook(plugin: &str, hook: &str) -> String {
    plugin.replace("@HOOK@", &json!(hook).to_string())
}

fn arguments(agent: Agent, situation: Situation) -> Vec<String> {
    let words: &[&str] = match agent {
        Agent::Claude => &["-p", TASK, "--permission-mode", "bypassPermissions"],
        Agent::Codex => &[
            "exec",
            "--skip-git-repo-check",
            "-s",
            "danger-full-access",
            TASK,
        ],
        Agent::Gemini => &["-p", TASK, "--approval-mode", "yolo", "--skip-trust"],
        Agent::Opencode => &["run", "--format", "json", "--auto", TASK],
        Agent::Pi => &["-p", "--mode", "json", "--no-session", TASK],
    };
    let more: &[&str] = match (agent, situation) {
        (_, Situation::Bypassed(bypass)) => bypass.arguments,
        (Agent::Codex, Situation::Untrusted) => &[],
        // In a home of its own nobody has trusted anything.
        (Agent::Codex, _) => &["--dangerously-bypass-hook-trust"],
        _ => &[],
    };
    let words = words.iter().chain(more);
    words.map(|word| (*word).to_owned()).collect()
}
