//! Any program as an agent. A fresh process, the prompt, nothing else; its output is a text.

use std::ffi::OsString;

use super::driver::{
    AgentDriver, DriverKind, Launch, LaunchInput, LaunchOptions, ReaderOptions, StreamReader,
};
use super::end::{AgentEnd, AgentExit};
use super::event::AgentEvent;
use super::placeholder::{PlaceholderValues, fill_command};
use super::state::StreamState;

/// Tells an agent the model that its plan names, if it names one.
const MODEL: &str = "SIGNOFF_MODEL";
/// Tells an agent the tools that its plan leaves it, separated by commas, if there is a scope.
const TOOLS: &str = "SIGNOFF_TOOLS";

#[derive(Debug)]
pub(super) struct CommandDriver;

impl AgentDriver for CommandDriver {
    fn kind(&self) -> DriverKind {
        DriverKind::Command
    }

    fn program(&self) -> &'static str {
        ""
    }

    /// Without a placeholder that carries the prompt, it goes to stdin.
    fn launch(&self, options: &LaunchOptions<'_>) -> Launch {
        let values = PlaceholderValues {
            task: options.prompt,
            prompt_file: &options.prompt_file.to_string_lossy(),
            workspace: &options.workspace.to_string_lossy(),
            model: options.model.unwrap_or_default(),
        };
        let (argv, carries_prompt) = fill_command(options.command, &values);
        Launch {
            argv,
            env: variables(options),
            input: if carries_prompt {
                LaunchInput::Nothing
            } else {
                LaunchInput::Prompt
            },
            files: Vec::new(),
            keeps_own_sandbox: false,
            holds_scope: false,
        }
    }

    fn reader(&self, _options: &ReaderOptions<'_>) -> Box<dyn StreamReader> {
        Box::new(TextReader::default())
    }
}

/// What every agent may know of its plan.
pub(super) fn variables(options: &LaunchOptions<'_>) -> Vec<(OsString, OsString)> {
    let model = options.model.map(|model| (MODEL.into(), model.into()));
    let tools = options
        .tools
        .map(|tools| (TOOLS.into(), tools.join(",").into()));
    model.into_iter().chain(tools).collect()
}

/// Reads an output without a format: its lines are the program's messages.
#[derive(Debug, Default)]
struct TextReader {
    state: StreamState,
    last: Vec<String>,
}

/// Lines that are an agent's last words.
const LAST: usize = 20;

impl StreamReader for TextReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        let line = String::from_utf8_lossy(line);
        self.state.note_message(&line);
        let events = self.state.take_events();
        if let Some(AgentEvent::Said { text }) = events.first() {
            if self.last.len() == LAST {
                self.last.remove(0);
            }
            self.last.push(text.clone());
        }
        events
    }

    fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        // A program that ends with 0 is done: it has no other way to say so.
        self.state.used_tools();
        self.state.record_done();
        AgentEnd {
            text: self.last.join("\n"),
            ..self.state.end(exit)
        }
    }
}
