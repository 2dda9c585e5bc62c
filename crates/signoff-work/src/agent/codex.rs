//! Codex: `codex exec --json`. Looked up in 0.166.0.

mod stream;

use super::command_line::CommandLine;
use super::driver::{
    AgentDriver, DriverKind, Launch, LaunchGuard, LaunchOptions, ReaderOptions, StreamReader,
};
use super::scope::ToolScope;
use super::servers::WAIT_MS;

#[derive(Debug)]
pub(super) struct Codex;

impl AgentDriver for Codex {
    fn kind(&self) -> DriverKind {
        DriverKind::Codex
    }

    fn program(&self) -> &'static str {
        "codex"
    }

    fn launch(&self, options: &LaunchOptions<'_>) -> Launch {
        let scope = options.tools.map(ToolScope::of);
        let reads_only = scope.as_ref().is_some_and(ToolScope::is_read_only);
        let sandbox = match (options.confined, reads_only) {
            // Its sandbox cannot be nested in ours, and every command of it would fail, also those that read.
            (true, _) => "danger-full-access",
            (false, true) => "read-only",
            (false, false) => "workspace-write",
        };
        let own = [
            "-s",
            "--sandbox",
            "--dangerously-bypass-approvals-and-sandbox",
            "--approve-for-me",
        ];
        let line = CommandLine::new(options, self.program())
            .subcommand("exec")
            .switch(&["--json"])
            .switch(&["--skip-git-repo-check"])
            .option(&own, sandbox)
            .option(&["-C", "--cd"], options.workspace)
            .optional(&["-m", "--model"], options.model);
        let line = match options.guard {
            Some(guard) => with_guard(line, guard),
            None => line,
        };
        let line = match options.resume {
            Some(session) => line.args(&["resume", session, "-"]),
            None => line.args(&["-"]),
        };
        Launch {
            keeps_own_sandbox: !options.confined,
            holds_scope: options.guard.is_some() || (reads_only && !options.confined),
            ..line.launch()
        }
    }

    fn reader(&self, options: &ReaderOptions<'_>) -> Box<dyn StreamReader> {
        Box::new(stream::CodexReader::new(options))
    }
}

/// Its settings, one by one. It runs hooks that nobody trusted only if it is told to.
fn with_guard<'a>(line: CommandLine<'a>, guard: LaunchGuard<'_>) -> CommandLine<'a> {
    let hook = format!(
        "hooks.PreToolUse=[{{hooks=[{{type=\"command\",command={}}}]}}]",
        quote(guard.hook)
    );
    let mut line = line
        .args(&["--dangerously-bypass-hook-trust"])
        .last_option("-c", hook);
    for server in guard.servers {
        let arguments: Vec<String> = server.arguments().iter().map(|word| quote(word)).collect();
        let entry = format!(
            "mcp_servers.{}={{command={},args=[{}],tool_timeout_sec={}}}",
            server.name,
            quote(server.program()),
            arguments.join(","),
            WAIT_MS / 1000
        );
        line = line.last_option("-c", entry);
    }
    line
}

/// A string of TOML; all that JSON escapes is escaped alike there.
fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
