//! Claude Code: `claude -p` with its stream of JSON lines. Looked up in 2.1.197.

mod stream;

use serde_json::json;

use super::command_line::CommandLine;
use super::driver::{
    AgentDriver, DriverKind, Launch, LaunchFile, LaunchGuard, LaunchOptions, ReaderOptions,
    StreamReader,
};
use super::scope::{Agent, ServerTool, ToolScope};
use super::servers::{WAIT_MS, by_name};

#[derive(Debug)]
pub(super) struct Claude;

/// Its to-do lists: they change nothing.
const ALWAYS: [&str; 5] = [
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
];

const SETTINGS: &str = "signoff-claude-settings.json";
const SERVERS: &str = "signoff-claude-servers.json";

impl AgentDriver for Claude {
    fn kind(&self) -> DriverKind {
        DriverKind::Claude
    }

    fn program(&self) -> &'static str {
        "claude"
    }

    fn launch(&self, options: &LaunchOptions<'_>) -> Launch {
        let scope = options.tools.map(ToolScope::of);
        let line = CommandLine::new(options, self.program())
            .switch(&["-p", "--print"])
            .option(&["--output-format"], "stream-json")
            .switch(&["--verbose"])
            // Messages report their usage before they are written (one token of output); only their parts have the
            // final usage.
            .switch(&["--include-partial-messages"])
            .option(&["--permission-mode", "--dangerously-skip-permissions"], mode(options, scope.as_ref()))
            .optional(&["--model"], options.model)
            .optional(&["--resume", "-r", "--continue", "-c"], options.resume);
        let line = match &scope {
            Some(scope) => hand_over(line, scope),
            None => line,
        };
        // As root it refuses to skip its questions unless this is set.
        let line = if options.confined {
            line.variable("IS_SANDBOX", "1")
        } else {
            line
        };
        let (line, files) = match options.guard {
            Some(guard) => with_guard(line, options, guard),
            None => (line, Vec::new()),
        };
        Launch {
            keeps_own_sandbox: !options.confined,
            holds_scope: scope.is_some(),
            files,
            ..line.launch()
        }
    }

    fn reader(&self, options: &ReaderOptions<'_>) -> Box<dyn StreamReader> {
        Box::new(stream::ClaudeReader::new(options.model))
    }
}

/// `--tools` leaves only the named ones of its own tools, but all those of MCP servers. So these are refused by the mode
/// that refuses whatever is not allowed, or, if the scope has none, by having no servers.
fn mode(options: &LaunchOptions<'_>, scope: Option<&ToolScope>) -> &'static str {
    if scope.is_some_and(|scope| !scope.servers.is_empty()) {
        "dontAsk"
    } else if options.confined {
        "bypassPermissions"
    } else {
        "acceptEdits"
    }
}

fn hand_over<'a>(line: CommandLine<'a>, scope: &ToolScope) -> CommandLine<'a> {
    let mut tools = scope.tools_in_scope(Agent::Claude.tools());
    tools.extend(ALWAYS);
    let tools = tools.join(",");
    let servers = scope
        .servers
        .iter()
        .map(rule)
        .map(|rule| format!(",{rule}"));
    let allowed = format!("{tools}{}", servers.collect::<String>());
    line.option(&["--tools"], tools)
        .option(&["--allowedTools", "--allowed-tools"], allowed)
        .switch(&["--strict-mcp-config"])
}

/// Hooks see every call, also in modes that ask nobody. With the strict setting it has no other servers than these.
fn with_guard<'a>(
    line: CommandLine<'a>,
    options: &LaunchOptions<'_>,
    guard: LaunchGuard<'_>,
) -> (CommandLine<'a>, Vec<LaunchFile>) {
    let hook = json!({ "hooks": [{ "type": "command", "command": guard.hook }] });
    let settings = json!({ "hooks": { "PreToolUse": [hook] } });
    let mut files = vec![LaunchFile::json(SETTINGS, &settings)];
    let line = line.last_option("--settings", options.file(SETTINGS));
    if guard.servers.is_empty() {
        return (line, files);
    }
    let servers = by_name(
        guard.servers,
        |server| json!({ "command": server.program(), "args": server.arguments() }),
    );
    files.push(LaunchFile::json(SERVERS, &json!({ "mcpServers": servers })));
    let line = line
        .last_option("--mcp-config", options.file(SERVERS))
        .variable("MCP_TOOL_TIMEOUT", WAIT_MS.to_string());
    (line, files)
}

fn rule(tool: &ServerTool) -> String {
    let server = &tool.server;
    match &tool.tool {
        Some(tool) => format!("mcp__{server}__{tool}"),
        None => format!("mcp__{server}"),
    }
}
