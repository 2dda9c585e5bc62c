//! What is written for which agent.

mod claude;
mod codex;
mod gemini;
mod opencode;
mod pi;

use std::ffi::OsStr;
use std::path::PathBuf;

use serde_json::{Value, json};
use signoff_api::connect::Scope;
use signoff_plan::guard::Agent;
use signoff_work::environment::Variables;
use signoff_work::settings::json::{Entry, Slot};
use signoff_work::settings::{self, toml};

use crate::guard::{HookStore, hook_command};

const SKILL: &str = include_str!("../../../../../integrations/skill/SKILL.md");
/// Commands in markdown, as Claude Code, Codex and opencode read them.
const COMMANDS: [(&str, &str); 2] = [
    (
        "plan.md",
        include_str!("../../../../../integrations/commands/plan.md"),
    ),
    (
        "plans.md",
        include_str!("../../../../../integrations/commands/plans.md"),
    ),
];
/// A part of every hook of ours, and of nobody else's.
const MARK: &str = " signoff-guard ";
/// The name of our MCP server, plugins and skill.
const NAME: &str = "signoff";
/// How long an agent waits for a hook. The guard itself gives up far earlier, with a refusal.
const HOOK_SECONDS: u64 = 60;

/// Where an agent's files are.
#[derive(Debug, Clone)]
pub(super) struct ConnectContext {
    pub(super) scope: Scope,
    pub(super) home: PathBuf,
    /// The project, or the home.
    pub(super) root: PathBuf,
    pub(super) variables: Variables,
    /// How agents call us.
    pub(super) program: PathBuf,
}

/// What connects an agent.
#[derive(Debug, Clone)]
pub(super) struct Integration {
    pub(super) files: Vec<PlannedFile>,
    /// What a person still has to do or to know.
    pub(super) next: Vec<String>,
}

/// A file and what we want in it.
#[derive(Debug, Clone)]
pub(super) struct PlannedFile {
    pub(super) path: PathBuf,
    pub(super) content: FileContent,
}

/// What we want in a file.
#[derive(Debug, Clone)]
pub(super) enum FileContent {
    /// It is ours alone.
    Whole(String),
    Json(Vec<Entry>),
    Toml(toml::Section),
}

impl FileContent {
    /// What a person can paste where we cannot edit.
    pub(super) fn snippet(&self) -> Option<String> {
        match self {
            Self::Whole(_) => None,
            Self::Json(entries) => Some(settings::json::snippet(entries)),
            Self::Toml(section) => Some(toml::snippet(section)),
        }
    }
}

pub(super) fn integration(agent: Agent, surroundings: &ConnectContext) -> Integration {
    match agent {
        Agent::Claude => claude::integration(surroundings),
        Agent::Codex => codex::integration(surroundings),
        Agent::Gemini => gemini::integration(surroundings),
        Agent::Opencode => opencode::integration(surroundings),
        Agent::Pi => pi::integration(surroundings),
    }
}

impl ConnectContext {
    /// A directory of an agent in the home, or where this variable says it is.
    fn home_directory(&self, variable: &str, default: &str) -> PathBuf {
        let moved = self.variables.get(OsStr::new(variable)).map(PathBuf::from);
        let moved = moved.filter(|directory| directory.is_absolute());
        moved.unwrap_or_else(|| self.home.join(default))
    }

    fn hook(&self, agent: Agent) -> String {
        let store = match self.scope {
            Scope::User => HookStore::Optional,
            Scope::Project => HookStore::Required,
        };
        hook_command(&self.program, agent, store)
    }

    fn program(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }

    /// Our MCP server, in the form that most agents have.
    fn server(&self) -> Value {
        json!({"command": self.program(), "args": ["mcp"]})
    }

    /// A script of ours, with what it has to know about this machine.
    fn script(&self, text: &str) -> String {
        let scope = match self.scope {
            Scope::User => "user",
            Scope::Project => "project",
        };
        text.replace("\"@PROGRAM@\"", &Value::String(self.program()).to_string())
            .replace("\"@SCOPE@\"", &format!("\"{scope}\""))
    }
}

fn whole_file(path: PathBuf, text: impl Into<String>) -> PlannedFile {
    PlannedFile {
        path,
        content: FileContent::Whole(text.into()),
    }
}

/// A file of ours in JSON.
fn whole_json(path: PathBuf, value: &Value) -> PlannedFile {
    whole_file(path, format!("{value:#}\n"))
}

fn entries(path: PathBuf, entries: Vec<Entry>) -> PlannedFile {
    PlannedFile {
        path,
        content: FileContent::Json(entries),
    }
}

fn member(path: &str, name: &str, value: Value) -> Entry {
    Entry {
        path: vec![path.to_owned()],
        slot: Slot::Member(name.to_owned()),
        value,
    }
}

/// A hook in a list of `hooks`.
fn hook_entry(event: &str, value: Value) -> Entry {
    Entry {
        path: vec!["hooks".to_owned(), event.to_owned()],
        slot: Slot::Element {
            mark: MARK.to_owned(),
        },
        value,
    }
}

/// The skill below a directory of skills.
fn skill(directory: PathBuf) -> PlannedFile {
    whole_file(directory.join(NAME).join("SKILL.md"), SKILL)
}

/// The commands in a directory, with a prefix where other commands are beside them.
fn commands(directory: PathBuf, prefix: &str) -> impl Iterator<Item = PlannedFile> {
    COMMANDS
        .iter()
        .map(move |(name, text)| whole_file(directory.join(format!("{prefix}{name}")), *text))
}

#[cfg(test)]
mod tests {
    use signoff_plan::PermissiveWorkspace;
    use signoff_plan::check::check;
    use signoff_plan::dialect::parse;
    use signoff_plan::source::Source;

    use super::SKILL;

    #[test]
    fn the_plan_that_the_skill_shows_can_be_signed() {
        let (_, rest) = SKILL.split_once("````markdown\n").unwrap();
        let (plan, _) = rest.split_once("````").unwrap();
        let source = Source::new("plan.md", plan.as_bytes().to_vec());
        let checked = check(&parse(&source), &PermissiveWorkspace);
        assert_eq!(checked.errors(), 0, "{:?}", checked.diagnostics);
        assert_eq!(checked.plan.steps.len(), 2);
    }
}
