//! Reads the lines of `opencode run --format json`.

use serde_json::Value;

use crate::agent::driver::StreamReader;
use crate::agent::end::{AgentEnd, AgentExit, AgentProblem};
use crate::agent::event::{AgentEvent, ModelUsage, TodoEntry, TodoState};
use crate::agent::json::{list, micro_dollars, number, object, text};
use crate::agent::state::StreamState;
use crate::agent::text::one_line;

#[derive(Debug)]
pub(super) struct OpencodeReader {
    state: StreamState,
}

impl StreamReader for OpencodeReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        if let Some(line) = object(line) {
            self.state.session(text(&line, "/sessionID"));
            let part = line.get("part").unwrap_or(&Value::Null);
            match text(&line, "/type") {
                "text" => self.state.note_message(text(part, "/text")),
                "tool_use" => self.tool_use(part),
                "step_finish" => self.step_finish(part),
                "error" => self.error(&line),
                _ => {}
            }
        }
        self.state.take_events()
    }

    fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        self.state.end(exit)
    }
}

impl OpencodeReader {
    pub(super) fn new(model: Option<&str>) -> Self {
        Self {
            state: StreamState::new(model),
        }
    }

    /// A call comes once, when it has ended.
    fn tool_use(&mut self, part: &Value) {
        let (id, tool) = (text(part, "/callID"), text(part, "/tool"));
        let input = part.pointer("/state/input").unwrap_or(&Value::Null);
        match tool {
            "todowrite" => {
                let entries = list(input, "/todos").iter().map(|entry| TodoEntry {
                    text: one_line(text(entry, "/content")),
                    state: TodoState::from_name(text(entry, "/status")),
                });
                self.state.note_todo(entries.collect());
            }
            "write" | "edit" | "patch" | "multiedit" => {
                self.state.remember_file(id, text(input, "/filePath"));
            }
            _ => {}
        }
        self.state.note_tool_start(id, tool, input);
        let error = text(part, "/state/error");
        let output = match error {
            "" => text(part, "/state/output"),
            error => error,
        };
        let failed =
            text(part, "/state/status") == "error" || number(part, "/state/metadata/exit") != 0;
        self.state.note_tool_end(id, !failed, output);
        if is_denial(error) {
            self.state.note_denial(tool, error);
        }
    }

    fn step_finish(&mut self, part: &Value) {
        self.state.count_usage(ModelUsage {
            model: None,
            input: number(part, "/tokens/input"),
            cached: number(part, "/tokens/cache/read"),
            cache_write: number(part, "/tokens/cache/write"),
            output: number(part, "/tokens/output")
                .saturating_add(number(part, "/tokens/reasoning")),
            // It says 0 for a model whose price it does not know.
            usd_e6: micro_dollars(part, "/cost").filter(|cost| *cost > 0),
        });
        match text(part, "/reason") {
            "tool-calls" | "" => {}
            "length" => {
                let limit = AgentProblem::LimitReached("the answer became too long".to_owned());
                self.state.record_failure(limit);
            }
            "content-filter" => {
                let refused = AgentProblem::Refused("its filter stopped the answer".to_owned());
                self.state.record_failure(refused);
            }
            _ => self.state.record_done(),
        }
    }

    fn error(&mut self, line: &Value) {
        let message = match text(line, "/error/data/message") {
            "" => match text(line, "/error/message") {
                "" => text(line, "/error/name"),
                message => message,
            },
            message => message,
        };
        self.state.error(message);
        let problem = match (
            text(line, "/error/name"),
            number(line, "/error/data/statusCode"),
        ) {
            ("ProviderAuthError", _) | (_, 401) => AgentProblem::LoginRequired,
            ("APIError", _) => AgentProblem::of_model_error(message),
            _ => AgentProblem::of_message(message),
        };
        self.state.record_failure(problem);
    }
}

fn is_denial(error: &str) -> bool {
    let error = error.to_lowercase();
    [
        "rejected permission",
        "prevents you from using",
        "permission denied by",
        "user has specified a rule",
    ]
    .iter()
    .any(|words| error.contains(words))
}
