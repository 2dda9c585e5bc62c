//! One agent behind one trait: how it is started, how its stream is read, how it ends.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use super::acp::Acp;
use super::claude::Claude;
use super::codex::Codex;
use super::command::CommandDriver;
use super::end::{AgentEnd, AgentExit};
use super::event::{AgentEvent, ModelUsage};
use super::gemini::Gemini;
use super::opencode::Opencode;
use super::pi::Pi;

/// The drivers there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DriverKind {
    Claude,
    Codex,
    Gemini,
    Opencode,
    Pi,
    Acp,
    Command,
}

impl DriverKind {
    pub const ALL: [Self; 7] = [
        Self::Claude,
        Self::Codex,
        Self::Gemini,
        Self::Opencode,
        Self::Pi,
        Self::Acp,
        Self::Command,
    ];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Claude => "claude",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
            Self::Acp => "acp",
            Self::Command => "command",
        }
    }

    /// The driver of this name; plans also say `claude-code`.
    pub fn parse(name: &str) -> Option<Self> {
        let name = if name == "claude-code" {
            "claude"
        } else {
            name
        };
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub fn driver(self) -> &'static dyn AgentDriver {
        match self {
            Self::Claude => &Claude,
            Self::Codex => &Codex,
            Self::Gemini => &Gemini,
            Self::Opencode => &Opencode,
            Self::Pi => &Pi,
            Self::Acp => &Acp,
            Self::Command => &CommandDriver,
        }
    }
}

impl fmt::Display for DriverKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl LaunchOptions<'_> {
    /// Where the agent finds a file of its launch.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        match self.guard {
            Some(guard) => guard.directory.join(name),
            None => self.prompt_file.with_file_name(name),
        }
    }
}

/// What an agent is started with.
#[derive(Debug, Clone, Copy)]
pub struct LaunchOptions<'a> {
    /// The configured command line: the program and arguments that the driver adds its own to, except where they are
    /// there already. Empty: the driver's own program. Only `command` knows placeholders.
    pub command: &'a [String],
    pub prompt: &'a str,
    /// The same prompt on disk, at the path that the agent sees.
    pub prompt_file: &'a Path,
    pub workspace: &'a Path,
    pub model: Option<&'a str>,
    /// The tools that the plan leaves it; without a scope, all.
    pub tools: Option<&'a [String]>,
    /// Our mounts confine the agent, so its own sandbox and its questions are switched off.
    pub confined: bool,
    /// The session to continue.
    pub resume: Option<&'a str>,
    /// What holds it to its tools; only with a scope.
    pub guard: Option<LaunchGuard<'a>>,
}

/// What holds an agent to the tools of its scope, beside its own lists.
#[derive(Debug, Clone, Copy)]
pub struct LaunchGuard<'a> {
    /// The shell command that is asked before each tool call: it refuses with exit code 2.
    pub hook: &'a str,
    /// The tool servers that it gets, and no others.
    pub servers: &'a [LaunchServer],
    /// Where it finds the files of its launch.
    pub directory: &'a Path,
}

/// A tool server for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchServer {
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
}

impl LaunchServer {
    pub(super) fn program(&self) -> &str {
        self.command.first().map_or("", String::as_str)
    }

    pub(super) fn arguments(&self) -> &[String] {
        self.command.get(1..).unwrap_or_default()
    }
}

/// A process to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    pub argv: Vec<OsString>,
    /// Variables that replace those of the environment.
    pub env: Vec<(OsString, OsString)>,
    pub input: LaunchInput,
    /// Files to be written before the start.
    pub files: Vec<LaunchFile>,
    /// The agent's own sandbox or permission rules stay on.
    pub keeps_own_sandbox: bool,
    /// The agent itself holds the tool scope. False also where there is none.
    pub holds_scope: bool,
}

/// What a process reads from its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchInput {
    Nothing,
    /// The prompt, then end of file.
    Prompt,
    /// Messages both ways, by an [`super::AcpClient`].
    Dialogue,
}

/// A file that lies where the agent can read it: in the directory of its guard if it has one, otherwise beside the prompt's
/// file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchFile {
    pub name: &'static str,
    pub bytes: Vec<u8>,
}

impl LaunchFile {
    pub(super) fn json(name: &'static str, value: &serde_json::Value) -> Self {
        let bytes = value.to_string().into_bytes();
        Self { name, bytes }
    }
}

/// What a reader needs to know of the process whose stream it reads.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReaderOptions<'a> {
    /// The model that was asked for, if any: not every stream names it.
    pub model: Option<&'a str>,
    /// What the session had used before it was continued: Codex says what the whole session used.
    pub used_before: &'a [ModelUsage],
}

/// How one agent is driven.
pub trait AgentDriver: Sync + fmt::Debug {
    fn kind(&self) -> DriverKind;
    /// The program that is started if none is configured; empty where there is no such program.
    fn program(&self) -> &'static str;
    fn launch(&self, options: &LaunchOptions<'_>) -> Launch;
    /// A reader of its standard output.
    fn reader(&self, options: &ReaderOptions<'_>) -> Box<dyn StreamReader>;
}

/// Reads the stream of one agent process. Nothing that a stream contains is fatal.
pub trait StreamReader: Send + fmt::Debug {
    /// Reads a line without its line break.
    fn read_line(&mut self, line: &[u8]) -> Vec<AgentEvent>;
    /// The process has ended. Events that are still open come with the end.
    fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_driver_has_a_name_and_knows_its_kind() {
        for kind in DriverKind::ALL {
            assert_eq!(DriverKind::parse(kind.name()), Some(kind));
            assert_eq!(kind.driver().kind(), kind);
        }
        assert_eq!(DriverKind::parse("claude-code"), Some(DriverKind::Claude));
        assert_eq!(DriverKind::parse("Claude"), None);
    }
}
