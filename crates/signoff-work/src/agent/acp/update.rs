//! Reads `session/update`: what an agent does.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::agent::event::{ModelUsage, TodoEntry, TodoState};
use crate::agent::json::{call_subject, content_text, list, micro_dollars, number, text};
use crate::agent::state::StreamState;
use crate::agent::text::one_line;

/// Calls that are remembered until they end.
const REMEMBERED: usize = 1024;

/// Tool calls that have not ended.
#[derive(Debug, Default)]
pub(super) struct OpenCalls {
    calls: BTreeMap<String, OpenCall>,
}

#[derive(Debug, Default)]
struct OpenCall {
    kind: String,
    files: Vec<String>,
}

impl OpenCalls {
    pub(super) fn read(&mut self, state: &mut StreamState, update: &Value) {
        match text(update, "/sessionUpdate") {
            "agent_message_chunk" => state.note_message_part(text(update, "/content/text")),
            "tool_call" => self.call(state, update),
            "tool_call_update" => self.call_update(state, update),
            "plan" => {
                let entries = list(update, "/entries").iter().map(|entry| TodoEntry {
                    text: one_line(text(entry, "/content")),
                    state: TodoState::from_name(text(entry, "/status")),
                });
                state.note_todo(entries.collect());
            }
            // `used` is how full the context is, not what was spent.
            "usage_update" if text(update, "/cost/currency") == "USD" => {
                state.used_in_total(ModelUsage {
                    usd_e6: micro_dollars(update, "/cost/amount"),
                    ..ModelUsage::default()
                });
            }
            _ => {}
        }
    }

    /// The tool of a call: agents say its kind in `kind` and what it does in `title`.
    pub(super) fn kind(&self, call: &str) -> &str {
        self.calls.get(call).map_or("", |call| call.kind.as_str())
    }

    fn call(&mut self, state: &mut StreamState, update: &Value) {
        let id = text(update, "/toolCallId");
        let kind = match text(update, "/kind") {
            "" => "other",
            kind => kind,
        };
        let about = match call_subject(update.get("rawInput").unwrap_or(&Value::Null)) {
            about if about.is_empty() => one_line(text(update, "/title")),
            about => about,
        };
        if !self.calls.contains_key(id) {
            state.tool_started_about(id, kind, about);
            if self.calls.len() < REMEMBERED {
                let call = OpenCall {
                    kind: kind.to_owned(),
                    files: Vec::new(),
                };
                self.calls.insert(id.to_owned(), call);
            }
        }
        self.call_update(state, update);
    }

    fn call_update(&mut self, state: &mut StreamState, update: &Value) {
        let id = text(update, "/toolCallId");
        let content = update.get("content").unwrap_or(&Value::Null);
        if let Some(call) = self.calls.get_mut(id) {
            let diffs = list(update, "/content")
                .iter()
                .filter(|part| text(part, "/type") == "diff");
            for path in diffs.map(|diff| text(diff, "/path")) {
                if !call.files.iter().any(|known| known == path) && call.files.len() < REMEMBERED {
                    call.files.push(path.to_owned());
                }
            }
        }
        let ok = match text(update, "/status") {
            "completed" => true,
            "failed" => false,
            _ => return,
        };
        let Some(call) = self.calls.remove(id) else {
            return;
        };
        state.note_tool_end(id, ok, &content_text(content));
        call.files
            .iter()
            .filter(|_| ok)
            .for_each(|path| state.note_changed_file(path));
    }
}

/// What a turn used. Some agents count what came from the cache as input; their total says so.
pub(super) fn turn_usage(usage: &Value) -> ModelUsage {
    let cached = number(usage, "/cachedReadTokens");
    let cache_write = number(usage, "/cachedWriteTokens");
    let input = number(usage, "/inputTokens");
    let output = number(usage, "/outputTokens").saturating_add(number(usage, "/thoughtTokens"));
    let contains_cached = number(usage, "/totalTokens") == input.saturating_add(output);
    ModelUsage {
        model: None,
        input: if contains_cached {
            input.saturating_sub(cached).saturating_sub(cache_write)
        } else {
            input
        },
        cached,
        cache_write,
        output,
        usd_e6: None,
    }
}
