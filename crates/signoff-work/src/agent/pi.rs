//! pi: `pi -p --mode json`. Looked up in 0.73.1.

mod stream;

use serde_json::{Value, json};

use super::command_line::CommandLine;
use super::driver::{
    AgentDriver, DriverKind, Launch, LaunchFile, LaunchGuard, LaunchOptions, LaunchServer,
    ReaderOptions, StreamReader,
};
use super::scope::{Agent, ServerTool, ToolScope};

#[derive(Debug)]
pub(super) struct Pi;

const EXTENSION: &str = "signoff-pi.js";

impl AgentDriver for Pi {
    fn kind(&self) -> DriverKind {
        DriverKind::Pi
    }

    fn program(&self) -> &'static str {
        "pi"
    }

    fn launch(&self, options: &LaunchOptions<'_>) -> Launch {
        let line = CommandLine::new(options, self.program())
            .switch(&["-p", "--print"])
            .option(&["--mode"], "json")
            .optional(&["--model"], options.model)
            .optional(
                &["--session", "--continue", "-c", "--no-session"],
                options.resume,
            );
        let scope = options.tools.map(ToolScope::of);
        let line = match &scope {
            Some(scope) => {
                let servers = options.guard.map_or(&[][..], |guard| guard.servers);
                hand_over(line, scope, servers)
            }
            None => line,
        };
        let line = match options.guard {
            Some(_) => line.last_option("--extension", options.file(EXTENSION)),
            None => line,
        };
        let extension = options.guard.iter().map(|guard| LaunchFile {
            name: EXTENSION,
            bytes: extension(*guard).into_bytes(),
        });
        Launch {
            files: extension.collect(),
            // It has neither a sandbox nor permissions.
            keeps_own_sandbox: false,
            holds_scope: scope.is_some(),
            ..line.launch()
        }
    }

    fn reader(&self, options: &ReaderOptions<'_>) -> Box<dyn StreamReader> {
        Box::new(stream::PiReader::new(options.model))
    }
}

/// Tools of its extensions have plain names; those that our own offers are called after their server. If the scope has a
/// whole server, their names are not known yet, and only the guard enforces the scope.
fn hand_over<'a>(
    line: CommandLine<'a>,
    scope: &ToolScope,
    servers: &[LaunchServer],
) -> CommandLine<'a> {
    let is_ours = |tool: &ServerTool| servers.iter().any(|server| server.name == tool.server);
    let mut named = scope.servers.iter();
    if named.any(|tool| tool.tool.is_none() && is_ours(tool)) {
        return line;
    }
    let own = scope.tools_in_scope(Agent::Pi.tools()).into_iter();
    let others = scope.servers.iter().filter_map(|one| {
        let tool = one.tool.as_deref()?;
        Some(if is_ours(one) {
            format!("{}_{tool}", one.server)
        } else {
            tool.to_owned()
        })
    });
    let tools: Vec<String> = own.map(str::to_owned).chain(others).collect();
    if tools.is_empty() {
        line.switch(&["--no-tools", "-nt"])
    } else {
        line.option(&["--tools", "-t"], tools.join(","))
    }
}

/// It knows no servers: an extension offers their tools, and asks the guard.
fn extension(guard: LaunchGuard<'_>) -> String {
    let hook = Value::from(guard.hook).to_string();
    let servers = guard.servers.iter();
    let servers = servers.map(|server| json!({ "name": server.name, "command": server.command }));
    let servers = servers.collect::<Value>().to_string();
    include_str!("pi/guard.js")
        .replace("\"@HOOK@\"", &hook)
        .replace("\"@SERVERS@\"", &servers)
}
