//! Reads the events of `codex exec --json`.

use serde_json::Value;

use crate::agent::driver::{ReaderOptions, StreamReader};
use crate::agent::end::{AgentEnd, AgentExit, AgentProblem};
use crate::agent::event::{AgentEvent, ModelUsage, TodoEntry, TodoState};
use crate::agent::json::{call_subject, content_text, flag, list, number, object, text};
use crate::agent::state::StreamState;
use crate::agent::text::one_line;

#[derive(Debug)]
pub(super) struct CodexReader {
    state: StreamState,
    used_before: ModelUsage,
}

impl StreamReader for CodexReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        if let Some(line) = object(line) {
            match text(&line, "/type") {
                "thread.started" => self.state.session(text(&line, "/thread_id")),
                "turn.completed" => {
                    self.state
                        .used_in_total(usage(&line).minus(&self.used_before));
                    self.state.record_done();
                }
                "turn.failed" => {
                    self.state.error(text(&line, "/error/message"));
                    let problem = AgentProblem::of_model_error(text(&line, "/error/message"));
                    self.state.record_failure(problem);
                }
                "error" => self.state.error(text(&line, "/message")),
                kind @ ("item.started" | "item.updated" | "item.completed") => {
                    let item = line.get("item").unwrap_or(&Value::Null);
                    self.item(kind, item);
                }
                _ => {}
            }
        }
        self.state.take_events()
    }

    fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        self.state.end(exit)
    }
}

/// What the session used so far, also before it was continued. The input contains what came from the cache and what went there.
fn usage(line: &Value) -> ModelUsage {
    let cached = number(line, "/usage/cached_input_tokens");
    let cache_write = number(line, "/usage/cache_write_input_tokens");
    ModelUsage {
        model: None,
        input: number(line, "/usage/input_tokens")
            .saturating_sub(cached)
            .saturating_sub(cache_write),
        cached,
        cache_write,
        output: number(line, "/usage/output_tokens"),
        usd_e6: None,
    }
}

impl CodexReader {
    pub(super) fn new(options: &ReaderOptions<'_>) -> Self {
        let mut used_before = ModelUsage::default();
        options
            .used_before
            .iter()
            .for_each(|usage| used_before.add(usage));
        Self {
            state: StreamState::new(options.model),
            used_before,
        }
    }

    fn item(&mut self, kind: &str, item: &Value) {
        let is_completed = kind == "item.completed";
        // Older versions say `item_type`.
        let item_type = match text(item, "/type") {
            "" => text(item, "/item_type"),
            found => found,
        };
        match item_type {
            "agent_message" | "assistant_message" if is_completed => {
                self.state.note_message(text(item, "/text"));
            }
            "error" if is_completed => self.state.note_warning(text(item, "/message")),
            "todo_list" => self.todo(item),
            "file_change" => self.file_change(kind, item),
            "command_execution" => self.call(kind, item, "shell", one_line(text(item, "/command"))),
            "web_search" => self.call(kind, item, "web_search", one_line(text(item, "/query"))),
            "mcp_tool_call" | "collab_tool_call" => {
                let tool = match text(item, "/server") {
                    "" => text(item, "/tool").to_owned(),
                    server => format!("{server}.{}", text(item, "/tool")),
                };
                let about = call_subject(item.get("arguments").unwrap_or(&Value::Null));
                self.call(kind, item, &tool, about);
            }
            _ => {}
        }
    }

    fn todo(&mut self, item: &Value) {
        let entries = list(item, "/items").iter().map(|entry| TodoEntry {
            text: one_line(text(entry, "/text")),
            state: if flag(entry, "/completed") {
                TodoState::Done
            } else {
                TodoState::Pending
            },
        });
        self.state.note_todo(entries.collect());
    }

    fn file_change(&mut self, kind: &str, item: &Value) {
        let paths = list(item, "/changes")
            .iter()
            .map(|change| text(change, "/path"));
        let about = one_line(&paths.clone().collect::<Vec<_>>().join(" "));
        self.call(kind, item, "apply_patch", about);
        if kind == "item.completed" && text(item, "/status") != "failed" {
            paths.for_each(|path| self.state.note_changed_file(path));
        }
    }

    fn call(&mut self, kind: &str, item: &Value, tool: &str, about: String) {
        let id = text(item, "/id");
        match kind {
            "item.started" => {
                self.state.remember_call(id);
                self.state.tool_started_about(id, tool, about);
            }
            "item.completed" => {
                // Items that take no time are not started.
                if !self.state.forget_call(id) {
                    self.state.tool_started_about(id, tool, about);
                }
                let failed = matches!(text(item, "/status"), "failed" | "declined");
                let exit = item.get("exit_code").and_then(Value::as_i64);
                self.state
                    .note_tool_end(id, !failed && exit.unwrap_or(0) == 0, &output(item));
                if text(item, "/status") == "declined" {
                    self.state.note_denial(tool, text(item, "/command"));
                }
            }
            _ => {}
        }
    }
}

fn output(item: &Value) -> String {
    match (
        text(item, "/aggregated_output"),
        text(item, "/error/message"),
    ) {
        ("", "") => content_text(item.pointer("/result/content").unwrap_or(&Value::Null)),
        ("", error) => error.to_owned(),
        (output, _) => output.to_owned(),
    }
}
