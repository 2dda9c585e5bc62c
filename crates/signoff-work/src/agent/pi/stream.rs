//! Reads the lines of `pi --mode json`.

use serde_json::Value;

use crate::agent::driver::StreamReader;
use crate::agent::end::{AgentEnd, AgentExit, AgentProblem};
use crate::agent::event::{AgentEvent, ModelUsage};
use crate::agent::json::{content_text, flag, list, micro_dollars, number, object, text};
use crate::agent::state::StreamState;
use crate::agent::text::one_line;

#[derive(Debug)]
pub(super) struct PiReader {
    state: StreamState,
    model: String,
}

impl StreamReader for PiReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        if let Some(line) = object(line) {
            match text(&line, "/type") {
                "session" => self.state.session(text(&line, "/id")),
                "message_end" => self.message(line.get("message").unwrap_or(&Value::Null)),
                "tool_execution_start" => self.tool_started(&line),
                "tool_execution_end" => self.tool_ended(&line),
                "auto_retry_start" => self.state.error(text(&line, "/errorMessage")),
                "extension_error" => self.state.error(text(&line, "/error")),
                _ => {}
            }
        }
        self.state.take_events()
    }

    fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        self.state.end(exit)
    }
}

impl PiReader {
    pub(super) fn new(model: Option<&str>) -> Self {
        Self {
            state: StreamState::new(model),
            model: String::new(),
        }
    }

    fn message(&mut self, message: &Value) {
        if text(message, "/role") != "assistant" {
            return;
        }
        let model = text(message, "/model");
        if self.model != model {
            model.clone_into(&mut self.model);
            self.state.model(model);
        }
        for block in list(message, "/content") {
            if text(block, "/type") == "text" {
                self.state.note_message(text(block, "/text"));
            }
        }
        self.state.count_usage(ModelUsage {
            model: None,
            input: number(message, "/usage/input"),
            cached: number(message, "/usage/cacheRead"),
            cache_write: number(message, "/usage/cacheWrite"),
            output: number(message, "/usage/output"),
            // It says 0 for a model whose price it does not know.
            usd_e6: micro_dollars(message, "/usage/cost/total").filter(|cost| *cost > 0),
        });
        match text(message, "/stopReason") {
            "error" => {
                let error = text(message, "/errorMessage");
                self.state.error(error);
                self.state
                    .record_failure(AgentProblem::of_model_error(error));
            }
            "length" => {
                let limit = AgentProblem::LimitReached("the answer became too long".to_owned());
                self.state.record_failure(limit);
            }
            "aborted" => self
                .state
                .record_failure(AgentProblem::Other(one_line("it was aborted"))),
            "stop" => self.state.record_done(),
            _ => {}
        }
    }

    fn tool_started(&mut self, line: &Value) {
        let (id, tool) = (text(line, "/toolCallId"), text(line, "/toolName"));
        let arguments = line.get("args").unwrap_or(&Value::Null);
        if matches!(tool, "write" | "edit") {
            self.state.remember_file(id, text(arguments, "/path"));
        }
        self.state.note_tool_start(id, tool, arguments);
    }

    fn tool_ended(&mut self, line: &Value) {
        let output = content_text(line.pointer("/result/content").unwrap_or(&Value::Null));
        let is_error = flag(line, "/isError");
        self.state
            .note_tool_end(text(line, "/toolCallId"), !is_error, &output);
    }
}
