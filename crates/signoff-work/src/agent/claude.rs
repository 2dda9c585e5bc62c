//! Claude Code: `claude -p` with its stream of JSON lines. Looked up in 2.1.197.

mod stream;

use super::command_line::CommandLine;
use super::driver::{Driver, DriverKind, Launch, LaunchOptions, ReaderOptions, StreamReader};
use super::scope::{Agent, ServerTool, ToolScope};

#[derive(Debug)]
pub(super) struct Claude;

/// Lists of what it wants to do: they touch nothing.
const ALWAYS: [&str; 5] = [
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "TaskList",
    "TaskGet",
];

impl Driver for Claude {
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
            // Messages say what they used before they are written: one token of output. Only their parts know.
            .switch(&["--include-partial-messages"])
            .option(&["--permission-mode", "--dangerously-skip-permissions"], mode(options, scope.as_ref()))
            .optional(&["--model"], options.model)
            .optional(&["--resume", "-r", "--continue", "-c"], options.resume);
        let line = match &scope {
            Some(scope) => hand_over(line, scope),
            None => line,
        };
        // As root it refuses to skip its questions, unless this is set.
        let line = if options.confined {
            line.variable("IS_SANDBOX", "1")
        } else {
            line
        };
        Launch {
            keeps_own_sandbox: !options.confined,
            holds_scope: scope.is_some(),
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
    let mut tools = scope.select(Agent::Claude.tools());
    tools.extend(ALWAYS);
    let tools = tools.join(",");
    let servers = scope
        .servers
        .iter()
        .map(rule)
        .map(|rule| format!(",{rule}"));
    let allowed = format!("{tools}{}", servers.collect::<String>());
    let line = line
        .option(&["--tools"], tools)
        .option(&["--allowedTools", "--allowed-tools"], allowed);
    if scope.servers.is_empty() {
        line.switch(&["--strict-mcp-config"])
    } else {
        line
    }
}

fn rule(tool: &ServerTool) -> String {
    let server = &tool.server;
    match &tool.tool {
        Some(tool) => format!("mcp__{server}__{tool}"),
        None => format!("mcp__{server}"),
    }
}
