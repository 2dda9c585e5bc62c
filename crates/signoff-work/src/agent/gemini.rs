//! Gemini CLI: `gemini -o stream-json`. Looked up in 0.61.0.

mod stream;

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::command_line::CommandLine;
use super::driver::{
    AgentDriver, DriverKind, Launch, LaunchFile, LaunchGuard, LaunchOptions, ReaderOptions,
    StreamReader,
};
use super::scope::{Agent, ToolScope};
use super::servers::{WAIT_MS, by_name};

#[derive(Debug)]
pub(super) struct Gemini;

/// Tools that touch nothing.
const ALWAYS: [&str; 3] = ["write_todos", "update_topic", "complete_task"];
const POLICY: &str = "signoff-gemini-policy.toml";
const SETTINGS: &str = "signoff-gemini-settings.json";

impl AgentDriver for Gemini {
    fn kind(&self) -> DriverKind {
        DriverKind::Gemini
    }

    fn program(&self) -> &'static str {
        "gemini"
    }

    fn launch(&self, options: &LaunchOptions<'_>) -> Launch {
        let mode = if options.confined {
            "yolo"
        } else {
            "auto_edit"
        };
        let line = CommandLine::new(options, self.program())
            .option(&["-o", "--output-format"], "stream-json")
            .option(&["--approval-mode", "-y", "--yolo"], mode)
            // Whoever runs a plan in a project trusts it; without this it ignores the mode.
            .switch(&["--skip-trust"])
            .optional(&["-m", "--model"], options.model)
            .optional(&["-r", "--resume"], options.resume);
        let scope = options.tools.map(ToolScope::of);
        let line = match &scope {
            Some(_) => line.option(&["--policy"], options.file(POLICY)),
            None => line,
        };
        // Settings of the system are above those of the person and of the project.
        let line = match options.guard {
            Some(_) => line.variable("GEMINI_CLI_SYSTEM_SETTINGS_PATH", options.file(SETTINGS)),
            None => line,
        };
        let rules = scope.iter().map(|scope| LaunchFile {
            name: POLICY,
            bytes: policy(scope).into_bytes(),
        });
        let settings = options.guard.iter();
        let settings = settings.map(|guard| LaunchFile::json(SETTINGS, &settings_of(*guard)));
        Launch {
            keeps_own_sandbox: !options.confined,
            holds_scope: scope.is_some(),
            files: rules.chain(settings).collect(),
            ..line.launch()
        }
    }

    fn reader(&self, options: &ReaderOptions<'_>) -> Box<dyn StreamReader> {
        Box::new(stream::GeminiReader::new(options.model))
    }
}

/// Rules that allow what is in the scope and deny everything else. They are stronger than those of any mode.
fn policy(scope: &ToolScope) -> String {
    let mut text = "[[rule]]\ntoolName = \"*\"\ndecision = \"deny\"\npriority = 100\n".to_owned();
    let mut allow = |lines: String| {
        let _infallible = write!(
            text,
            "\n[[rule]]\n{lines}decision = \"allow\"\npriority = 200\n"
        );
    };
    for tool in scope
        .tools_in_scope(Agent::Gemini.tools())
        .into_iter()
        .chain(ALWAYS)
    {
        allow(format!("toolName = \"{tool}\"\n"));
    }
    for tool in &scope.servers {
        let name = tool.tool.as_deref().unwrap_or("*");
        allow(format!(
            "mcpName = \"{}\"\ntoolName = \"{name}\"\n",
            tool.server
        ));
    }
    text
}

/// Its hooks, and its only servers.
fn settings_of(guard: LaunchGuard<'_>) -> Value {
    let names: Vec<&str> = guard
        .servers
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    let servers = by_name(guard.servers, |server| {
        json!({
            "command": server.program(),
            "args": server.arguments(),
            "timeout": WAIT_MS,
            "trust": true,
        })
    });
    let hook = json!({ "type": "command", "name": "signoff", "command": guard.hook });
    json!({
        "hooks": { "BeforeTool": [{ "matcher": "*", "hooks": [hook] }] },
        "mcp": { "allowed": names },
        "mcpServers": servers,
    })
}
