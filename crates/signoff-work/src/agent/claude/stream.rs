//! Reads Claude Code's `stream-json`.

use std::collections::VecDeque;

use serde_json::Value;

use crate::agent::driver::StreamReader;
use crate::agent::end::{AgentEnd, AgentExit, AgentProblem};
use crate::agent::event::{AgentEvent, ModelUsage, TodoEntry, TodoState};
use crate::agent::json::{content_text, flag, list, micro_dollars, number, object, text};
use crate::agent::state::StreamState;
use crate::agent::text::one_line;

/// Messages whose usage is remembered: as many as can be under way at the same time, in the agent and its subagents.
const MESSAGES: usize = 64;
/// The model of messages that the program writes itself.
const SYNTHETIC: &str = "<synthetic>";

#[derive(Debug)]
pub(super) struct ClaudeReader {
    state: StreamState,
    /// What was counted of the last messages: each is repeated for each of its parts.
    messages: VecDeque<CountedMessage>,
    tasks: Vec<TodoEntry>,
}

#[derive(Debug)]
struct CountedMessage {
    id: String,
    usage: ModelUsage,
}

impl StreamReader for ClaudeReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        // Most lines are of this kind, and their content is repeated as a whole later.
        if line.starts_with(br#"{"type":"stream_event","event":{"type":"content_block_"#) {
            return Vec::new();
        }
        if let Some(line) = object(line) {
            match text(&line, "/type") {
                "system" => self.system(&line),
                "assistant" => self.assistant(&line),
                "user" => self.tool_results(&line),
                "stream_event" => self.partial(&line),
                "result" => self.result(&line),
                _ => {}
            }
        }
        self.state.take_events()
    }

    fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        self.state.end(exit)
    }
}

impl ClaudeReader {
    pub(super) fn new(model: Option<&str>) -> Self {
        Self {
            state: StreamState::new(model),
            messages: VecDeque::new(),
            tasks: Vec::new(),
        }
    }

    fn system(&mut self, line: &Value) {
        match text(line, "/subtype") {
            "init" => {
                self.state.session(text(line, "/session_id"));
                self.state.model(text(line, "/model"));
                self.state.version(text(line, "/claude_code_version"));
            }
            "api_retry" => {
                let status = number(line, "/error_status");
                let status = if status == 0 {
                    String::new()
                } else {
                    format!(" {status}")
                };
                let error = text(line, "/error");
                let (attempt, most) = (number(line, "/attempt"), number(line, "/max_retries"));
                let message =
                    format!("the model failed:{status} {error} (retry {attempt} of {most})");
                self.state.error(&message);
            }
            _ => {}
        }
    }

    fn assistant(&mut self, line: &Value) {
        let Some(message) = line.get("message") else {
            return;
        };
        self.count(message, message);
        match text(line, "/error") {
            "" => {}
            error => {
                let said = content_text(message.get("content").unwrap_or(&Value::Null));
                let message = if said.is_empty() { error } else { &said };
                return self.state.error(message);
            }
        }
        for block in list(message, "/content") {
            match text(block, "/type") {
                // What a subagent says is not what the agent says.
                "text" if text(line, "/parent_tool_use_id").is_empty() => {
                    self.state.note_message(text(block, "/text"));
                }
                "tool_use" => self.tool_use(block),
                _ => {}
            }
        }
    }

    /// Counts what a message used beyond what was counted of it.
    fn count(&mut self, message: &Value, holder: &Value) {
        let (id, model) = (text(message, "/id"), text(message, "/model"));
        if id.is_empty() || model == SYNTHETIC {
            return;
        }
        let usage = ModelUsage {
            model: (!model.is_empty()).then(|| model.to_owned()),
            input: number(holder, "/usage/input_tokens"),
            cached: number(holder, "/usage/cache_read_input_tokens"),
            cache_write: number(holder, "/usage/cache_creation_input_tokens"),
            output: number(holder, "/usage/output_tokens"),
            usd_e6: None,
        };
        let known = self.messages.iter_mut().find(|counted| counted.id == id);
        let increment = match known {
            Some(counted) => {
                let increment = usage.minus(&counted.usage);
                counted.usage.add(&increment);
                ModelUsage {
                    model: counted.usage.model.clone(),
                    ..increment
                }
            }
            None => {
                if self.messages.len() == MESSAGES {
                    self.messages.pop_front();
                }
                self.messages.push_back(CountedMessage {
                    id: id.to_owned(),
                    usage: usage.clone(),
                });
                usage
            }
        };
        self.state.count_usage(increment);
    }

    /// Parts of messages know what a message used.
    fn partial(&mut self, line: &Value) {
        let Some(event) = line.get("event") else {
            return;
        };
        match text(event, "/type") {
            "message_start" => {
                let message = event.get("message").unwrap_or(&Value::Null);
                self.count(message, message);
            }
            "message_delta" => {
                // The parts of one message follow each other, except for those of subagents, which do not stream.
                let Some(last) = self.messages.back() else {
                    return;
                };
                let message = serde_json::json!({ "id": last.id, "model": last.usage.model });
                self.count(&message, event);
            }
            _ => {}
        }
    }

    fn tool_use(&mut self, block: &Value) {
        let (id, tool) = (text(block, "/id"), text(block, "/name"));
        let input = block.get("input").unwrap_or(&Value::Null);
        match tool {
            "TodoWrite" => {
                let entries = list(input, "/todos").iter().map(|entry| TodoEntry {
                    text: one_line(text(entry, "/content")),
                    state: TodoState::from_name(text(entry, "/status")),
                });
                self.state.note_todo(entries.collect());
                return;
            }
            "TaskCreate" | "TaskUpdate" => return self.task(tool, input),
            "Edit" | "Write" | "MultiEdit" => {
                self.state.remember_file(id, text(input, "/file_path"));
            }
            "NotebookEdit" => self.state.remember_file(id, text(input, "/notebook_path")),
            _ => {}
        }
        self.state.note_tool_start(id, tool, input);
        if tool == "AskUserQuestion" {
            self.state
                .note_question(text(input, "/questions/0/question"));
        }
    }

    /// Tasks are numbered from 1 in the order in which they are created.
    fn task(&mut self, tool: &str, input: &Value) {
        if tool == "TaskCreate" {
            self.tasks.push(TodoEntry {
                text: one_line(text(input, "/subject")),
                state: TodoState::Pending,
            });
        } else {
            let number: usize = text(input, "/taskId").parse().unwrap_or(0);
            let Some(entry) = number.checked_sub(1).and_then(|at| self.tasks.get_mut(at)) else {
                return;
            };
            match text(input, "/status") {
                "" => {}
                "deleted" => entry.state = TodoState::Done,
                status => entry.state = TodoState::from_name(status),
            }
        }
        self.state.note_todo(self.tasks.clone());
    }

    fn tool_results(&mut self, line: &Value) {
        for block in list(line, "/message/content") {
            if text(block, "/type") == "tool_result" {
                let output = content_text(block.get("content").unwrap_or(&Value::Null));
                let ok = !flag(block, "/is_error");
                self.state
                    .note_tool_end(text(block, "/tool_use_id"), ok, &output);
            }
        }
    }

    fn result(&mut self, line: &Value) {
        self.state.used_at_end(&totals(line));
        for denial in list(line, "/permission_denials") {
            let about =
                crate::agent::json::call_subject(denial.get("tool_input").unwrap_or(&Value::Null));
            self.state.note_denial(text(denial, "/tool_name"), &about);
        }
        let errors: Vec<_> = list(line, "/errors")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let said = text(line, "/result");
        let message = if errors.is_empty() {
            said.to_owned()
        } else {
            errors.join("; ")
        };
        let subtype = text(line, "/subtype");
        if subtype.starts_with("error_max") {
            let limit = if message.is_empty() {
                subtype
            } else {
                &message
            };
            self.state
                .record_failure(AgentProblem::LimitReached(one_line(limit)));
        } else if number(line, "/api_error_status") == 401 {
            self.state.record_failure(AgentProblem::LoginRequired);
        } else if flag(line, "/is_error") || subtype.starts_with("error") {
            self.state
                .record_failure(AgentProblem::of_message(&message));
        } else if text(line, "/stop_reason") == "refusal" {
            self.state
                .record_failure(AgentProblem::Refused(one_line(said)));
        } else {
            self.state.record_done();
        }
        self.state.last_words(said);
    }
}

/// What the whole run used, by model; without that, as one.
fn totals(line: &Value) -> Vec<ModelUsage> {
    let models = line.get("modelUsage").and_then(Value::as_object);
    let by_model: Vec<_> = models
        .into_iter()
        .flatten()
        .map(|(model, usage)| ModelUsage {
            model: Some(model.clone()),
            input: number(usage, "/inputTokens"),
            cached: number(usage, "/cacheReadInputTokens"),
            cache_write: number(usage, "/cacheCreationInputTokens"),
            output: number(usage, "/outputTokens"),
            usd_e6: micro_dollars(usage, "/costUSD"),
        })
        .collect();
    if !by_model.is_empty() || line.get("usage").is_none() {
        return by_model;
    }
    vec![ModelUsage {
        model: None,
        input: number(line, "/usage/input_tokens"),
        cached: number(line, "/usage/cache_read_input_tokens"),
        cache_write: number(line, "/usage/cache_creation_input_tokens"),
        output: number(line, "/usage/output_tokens"),
        usd_e6: micro_dollars(line, "/total_cost_usd"),
    }]
}
