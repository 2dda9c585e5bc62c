//! pi: `pi -p --mode json`. Looked up in 0.73.1.

mod stream;

use super::command_line::CommandLine;
use super::driver::{Driver, DriverKind, Launch, LaunchOptions, ReaderOptions, StreamReader};
use super::scope::{Agent, ToolScope};

#[derive(Debug)]
pub(super) struct Pi;

impl Driver for Pi {
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
            Some(scope) => hand_over(line, scope),
            None => line,
        };
        Launch {
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

/// Tools of its extensions have plain names.
fn hand_over<'a>(line: CommandLine<'a>, scope: &ToolScope) -> CommandLine<'a> {
    let mut tools = scope.select(Agent::Pi.tools());
    tools.extend(scope.servers.iter().filter_map(|one| one.tool.as_deref()));
    if tools.is_empty() {
        line.switch(&["--no-tools", "-nt"])
    } else {
        line.option(&["--tools", "-t"], tools.join(","))
    }
}
