//! Codex: `codex exec --json`. Looked up in 0.166.0.

mod stream;

use super::command_line::CommandLine;
use super::driver::{Driver, DriverKind, Launch, LaunchOptions, ReaderOptions, StreamReader};
use super::scope::ToolScope;

#[derive(Debug)]
pub(super) struct Codex;

impl Driver for Codex {
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
        let line = match options.resume {
            Some(session) => line.words(&["resume", session, "-"]),
            None => line.words(&["-"]),
        };
        Launch {
            keeps_own_sandbox: !options.confined,
            holds_scope: reads_only && !options.confined,
            ..line.launch()
        }
    }

    fn reader(&self, options: &ReaderOptions<'_>) -> Box<dyn StreamReader> {
        Box::new(stream::CodexReader::new(options))
    }
}
