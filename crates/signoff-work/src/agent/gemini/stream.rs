//! Reads Gemini CLI's `stream-json`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::agent::driver::StreamReader;
use crate::agent::end::{AgentEnd, AgentExit, AgentProblem};
use crate::agent::event::{AgentEvent, ModelUsage, TodoEntry, TodoState};
use crate::agent::json::{list, number, object, text};
use crate::agent::state::StreamState;
use crate::agent::text::one_line;

/// The exit code of a missing login.
const NO_LOGIN: i32 = 41;
/// The exit code of a task that took too many turns.
const TURN_LIMIT: i32 = 53;

#[derive(Debug)]
pub(super) struct GeminiReader {
    state: StreamState,
    /// Tools of calls that are under way: results do not name them.
    tools: BTreeMap<String, String>,
}

impl StreamReader for GeminiReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        if let Some(line) = object(line) {
            match text(&line, "/type") {
                "init" => {
                    self.state.session(text(&line, "/session_id"));
                    self.state.model(text(&line, "/model"));
                }
                "message" if text(&line, "/role") != "user" => {
                    self.state.note_message_part(text(&line, "/content"));
                }
                "tool_use" => self.tool_use(&line),
                "tool_result" => self.tool_result(&line),
                "error" => self.state.error(text(&line, "/message")),
                "result" => self.result(&line),
                _ => {}
            }
        }
        self.state.take_events()
    }

    fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        use signoff_sandbox::ExitStatus::{Exited, TimedOut};
        match exit.status {
            Exited(NO_LOGIN) => self.state.record_failure(AgentProblem::LoginRequired),
            Exited(TURN_LIMIT) => {
                let limit = AgentProblem::LimitReached("too many turns".to_owned());
                self.state.record_failure(limit);
            }
            // It retries for long, and says so only here.
            TimedOut => {
                let stderr = String::from_utf8_lossy(exit.stderr);
                let is_retry =
                    |line: &&str| line.starts_with("Attempt ") && line.contains(" failed ");
                if let Some(line) = stderr.lines().rev().find(is_retry) {
                    self.state.error(line);
                }
            }
            _ => {}
        }
        self.state.end(exit)
    }
}

impl GeminiReader {
    pub(super) fn new(model: Option<&str>) -> Self {
        Self {
            state: StreamState::new(model),
            tools: BTreeMap::new(),
        }
    }

    fn tool_use(&mut self, line: &Value) {
        let (id, tool) = (text(line, "/tool_id"), text(line, "/tool_name"));
        let parameters = line.get("parameters").unwrap_or(&Value::Null);
        match tool {
            "write_todos" => {
                let entries = list(parameters, "/todos").iter().map(|entry| TodoEntry {
                    text: one_line(text(entry, "/description")),
                    state: TodoState::from_name(text(entry, "/status")),
                });
                self.state.note_todo(entries.collect());
            }
            "write_file" | "replace" => {
                self.state.remember_file(id, text(parameters, "/file_path"));
            }
            _ => {}
        }
        if self.tools.len() < 1024 {
            self.tools.insert(id.to_owned(), tool.to_owned());
        }
        self.state.note_tool_start(id, tool, parameters);
    }

    fn tool_result(&mut self, line: &Value) {
        let id = text(line, "/tool_id");
        let error = text(line, "/error/message");
        let output = match text(line, "/output") {
            "" => error,
            output => output,
        };
        self.state
            .note_tool_end(id, text(line, "/status") != "error", output);
        let tool = self.tools.remove(id).unwrap_or_default();
        if is_denial(text(line, "/error/type"), error) {
            self.state.note_denial(&tool, error);
        }
    }

    fn result(&mut self, line: &Value) {
        self.state.end_parts();
        let models = line.pointer("/stats/models").and_then(Value::as_object);
        let by_model = models.into_iter().flatten();
        let mut totals: Vec<_> = by_model
            .map(|(model, stats)| usage(Some(model), stats))
            .collect();
        if totals.is_empty() {
            totals.extend(line.get("stats").map(|stats| usage(None, stats)));
        }
        for total in totals {
            self.state.count_usage(total);
        }
        let error = text(line, "/error/message");
        if text(line, "/status") == "error" || !error.is_empty() {
            self.state.error(error);
            self.state
                .record_failure(AgentProblem::of_model_error(error));
        } else {
            self.state.record_done();
        }
    }
}

fn is_denial(kind: &str, message: &str) -> bool {
    let says = |word: &str| message.to_lowercase().contains(word);
    kind == "policy_violation" || says("denied by policy") || says("blocked by policy")
}

/// The input contains what came from the cache; the output does not contain what the model thought, the total does.
fn usage(model: Option<&str>, stats: &Value) -> ModelUsage {
    let cached = number(stats, "/cached");
    let (input, output) = (
        number(stats, "/input_tokens"),
        number(stats, "/output_tokens"),
    );
    let beyond = number(stats, "/total_tokens").saturating_sub(input.saturating_add(output));
    ModelUsage {
        model: model.map(str::to_owned),
        input: input.saturating_sub(cached),
        cached,
        cache_write: 0,
        output: output.saturating_add(beyond),
        usd_e6: None,
    }
}
