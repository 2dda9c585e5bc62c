//! The settings of an agent that can hold the guard, and those in which it stands.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use signoff_plan::guard::Agent;
use signoff_runtime::project::ProcessContext;

/// Where an agent keeps its settings.
struct Places {
    agent: Agent,
    /// The variable that names the person's directory, and what it is in the home without one.
    home: (&'static str, &'static str),
    in_home: &'static [&'static str],
    in_project: &'static [&'static str],
}

/// Files that can hold the hook, or switch hooks off.
const PLACES: [Places; 5] = [
    Places {
        agent: Agent::Claude,
        home: ("CLAUDE_CONFIG_DIR", ".claude"),
        in_home: &["settings.json"],
        in_project: &[".claude/settings.json", ".claude/settings.local.json"],
    },
    Places {
        agent: Agent::Codex,
        home: ("CODEX_HOME", ".codex"),
        in_home: &["hooks.json"],
        in_project: &[".codex/hooks.json"],
    },
    Places {
        agent: Agent::Gemini,
        home: ("GEMINI_CLI_HOME", ""),
        in_home: &[
            ".gemini/settings.json",
            ".gemini/extensions/signoff/hooks/hooks.json",
        ],
        in_project: &[".gemini/settings.json"],
    },
    Places {
        agent: Agent::Opencode,
        home: ("XDG_CONFIG_HOME", ".config"),
        in_home: &["opencode/plugin/signoff.ts", "opencode/plugins/signoff.ts"],
        in_project: &[
            ".opencode/plugin/signoff.ts",
            ".opencode/plugins/signoff.ts",
        ],
    },
    Places {
        agent: Agent::Pi,
        home: ("PI_CODING_AGENT_DIR", ".pi/agent"),
        in_home: &["extensions/signoff.ts"],
        in_project: &[".pi/extensions/signoff.ts"],
    },
];

/// The settings of one agent, those of the person and those of the project.
#[derive(Debug)]
pub(super) struct AgentSettings<'a> {
    pub(super) process: &'a ProcessContext,
    pub(super) agent: Agent,
    pub(super) workspace: Option<&'a Path>,
    /// The person's directory that the agent's settings are in.
    pub(super) home: Option<PathBuf>,
    /// The person's files.
    pub(super) personal: Vec<PathBuf>,
    /// The project's files.
    pub(super) of_project: Vec<PathBuf>,
}

impl<'a> AgentSettings<'a> {
    pub(super) fn of(
        process: &'a ProcessContext,
        workspace: Option<&'a Path>,
        agent: Agent,
    ) -> Self {
        let variable = |name: &str| {
            let value = process.variables.get(OsStr::new(name)).map(PathBuf::from);
            value.filter(|path| path.is_absolute())
        };
        let places = PLACES.iter().find(|places| places.agent == agent);
        let home = places.and_then(|places| {
            let (name, default) = places.home;
            variable(name).or_else(|| Some(variable("HOME")?.join(default)))
        });
        let below = |directory: Option<&Path>, files: &[&str]| -> Vec<PathBuf> {
            let directory = directory.into_iter();
            directory
                .flat_map(|directory| files.iter().map(|file| directory.join(file)))
                .collect()
        };
        Self {
            process,
            agent,
            workspace,
            personal: below(home.as_deref(), places.map_or(&[], |places| places.in_home)),
            of_project: below(workspace, places.map_or(&[], |places| places.in_project)),
            home,
        }
    }

    /// Every file that there can be.
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.personal.iter().chain(&self.of_project)
    }

    /// The files in which the guard stands.
    pub(super) fn with_guard(&self) -> Vec<PathBuf> {
        let has_guard = |path: &&PathBuf| {
            let text = fs::read_to_string(path).unwrap_or_default();
            ["signoff", "guard", "--agent", self.agent.name()]
                .iter()
                .all(|word| text.contains(word))
        };
        self.files().filter(has_guard).cloned().collect()
    }
}

/// A file of JSON; nothing if it is not there or not JSON.
pub(super) fn json_file(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}
