//! The coding agents that `init` looks for, and the roles it writes for them.

use signoff_runtime::project::ProcessContext;

/// A coding agent that people use.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KnownAgent {
    pub(super) name: &'static str,
    /// The command that takes a task, may change files of the project, and ends by itself.
    command: &'static [&'static str],
}

/// In order of preference: the examples show the first one that is installed.
pub(super) const ALL: [KnownAgent; 5] = [
    KnownAgent {
        name: "claude",
        command: &["claude", "-p", "{task}", "--permission-mode", "acceptEdits"],
    },
    KnownAgent {
        name: "codex",
        // `-`: the prompt comes on stdin.
        command: &["codex", "exec", "-s", "workspace-write", "-"],
    },
    KnownAgent {
        name: "gemini",
        command: &["gemini", "-p", "{task}", "--approval-mode", "auto_edit"],
    },
    KnownAgent {
        name: "opencode",
        command: &["opencode", "run", "--agent", "build", "--auto", "{task}"],
    },
    KnownAgent {
        name: "pi",
        command: &["pi", "-p", "--no-session", "{task}"],
    },
];

/// The roles that plans name.
pub(super) const ROLES: [&str; 6] = [
    "planner",
    "coder",
    "developer",
    "tester",
    "reviewer",
    "executor",
];

const CONFIG: &str = include_str!("config.toml");
const PLACEHOLDER: &str = "# ROLES\n";

/// The agents on PATH. Starts none of them, because starting may have side effects.
pub(super) fn installed(process: &ProcessContext) -> Vec<&'static KnownAgent> {
    const { &ALL }
        .iter()
        .filter(|agent| {
            let path = process.path();
            signoff_sandbox::program_exists(agent.name.as_ref(), &path, &process.directory)
        })
        .collect()
}

/// The initial configuration. Its roles are comments, because Signoff must not start an agent that nobody chose.
pub(super) fn config(found: &[&KnownAgent]) -> String {
    let [example, ..] = &ALL;
    let best = found.first().copied().unwrap_or(example);
    let others = found.iter().skip(1);
    let mut roles: Vec<String> = ROLES
        .iter()
        .map(|role| {
            let command = command(best);
            format!("# [agents.{role}]\n# driver = \"command\"\n# command = {command}\n")
        })
        .collect();
    roles.extend(others.map(|agent| format!("# {}: command = {}\n", agent.name, command(agent))));
    CONFIG.replace(PLACEHOLDER, &roles.join("#\n"))
}

/// The command as a TOML list.
fn command(agent: &KnownAgent) -> String {
    let words: Vec<_> = agent
        .command
        .iter()
        .map(|word| format!("\"{word}\""))
        .collect();
    format!("[{}]", words.join(", "))
}

#[cfg(test)]
mod tests {
    use signoff_store::config::{Config, Layers};

    use super::*;

    fn load(text: &str) -> Config {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        std::fs::write(&path, text).unwrap();
        Config::load(&Layers {
            project: Some(path),
            ..Layers::default()
        })
        .unwrap()
    }

    #[test]
    fn what_is_written_changes_nothing_and_without_its_comments_is_right() {
        for found in [&[][..], &[&ALL[1], &ALL[3]]] {
            let text = config(found);
            let mut config = load(&text);
            config.project = None;
            assert_eq!(config, Config::default());
            let active: Vec<&str> = text
                .lines()
                .filter_map(|line| line.strip_prefix("# "))
                .filter(|line| line.starts_with('[') || line.contains(" = "))
                .filter(|line| !line.contains(": command"))
                .collect();
            let config = load(&active.join("\n"));
            assert_eq!(config.agents.len(), ROLES.len(), "{active:?}");
            for role in ROLES {
                assert!(config.agents.contains_key(role), "{role}");
            }
            // Everything else in the file is built in, as it says.
            let changed = config
                .entries()
                .into_iter()
                .zip(Config::default().entries());
            for (entry, built_in) in changed.filter(|(one, _)| !one.key.starts_with("agents")) {
                assert_eq!(entry.value, built_in.value, "{}", entry.key);
            }
        }
    }

    #[test]
    fn the_best_that_is_there_is_shown() {
        let text = config(&[&ALL[1], &ALL[3]]);
        assert!(text.contains("# [agents.coder]\n# driver = \"command\"\n# command = [\"codex\""));
        assert!(text.contains("# opencode: command = [\"opencode\""));
        assert!(config(&[]).contains("# command = [\"claude\""));
    }
}
