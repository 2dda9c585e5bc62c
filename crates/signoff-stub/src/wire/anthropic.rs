//! Anthropic messages.

use serde_json::{Value, json};

use crate::answer::{Answer, split_in_pieces};
use crate::conversation::{Author, Conversation, Tool, answers, elements};

pub(super) fn conversation(body: &Value) -> Conversation {
    let author = |message: &Value| match message["role"].as_str() {
        Some("assistant") => Author::Model,
        _ => Author::Agent,
    };
    Conversation {
        model: body["model"].as_str().unwrap_or("stub-model").to_owned(),
        stream: body["stream"] == true,
        turn: answers(elements(&body["messages"]).map(author)),
        tools: elements(&body["tools"])
            .filter_map(|tool| Tool::new(&tool["name"], &tool["input_schema"]))
            .collect(),
        called: elements(&body["messages"])
            .flat_map(|message| elements(&message["content"]))
            .filter(|block| block["type"] == "tool_use")
            .filter_map(|block| Some(block["name"].as_str()?.to_owned()))
            .collect(),
    }
}

pub(super) fn document(answer: &Answer) -> Value {
    let mut message = head(answer);
    message["content"] = Value::Array(blocks(answer));
    message["stop_reason"] = json!(stop_reason(answer));
    message["usage"]["output_tokens"] = json!(answer.usage.output);
    message
}

pub(super) fn events(answer: &Answer) -> Vec<Value> {
    let mut events = vec![
        json!({"type": "message_start", "message": head(answer)}),
        json!({"type": "ping"}),
    ];
    for (index, block) in blocks(answer).iter().enumerate() {
        events.extend(block_events(index, block));
    }
    events.push(json!({
        "type": "message_delta",
        "delta": {"stop_reason": stop_reason(answer), "stop_sequence": null},
        "usage": {"output_tokens": answer.usage.output},
    }));
    events.push(json!({"type": "message_stop"}));
    events
}

pub(super) fn error_type(code: u16) -> &'static str {
    match code {
        400 => "invalid_request_error",
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        529 => "overloaded_error",
        _ => "api_error",
    }
}

fn head(answer: &Answer) -> Value {
    let usage = answer.usage;
    json!({
        "id": format!("msg_stub_{}", answer.number),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            // This vendor counts cached tokens apart.
            "input_tokens": usage.input.saturating_sub(usage.cached),
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": usage.cached,
            "output_tokens": 1,
        },
    })
}

fn blocks(answer: &Answer) -> Vec<Value> {
    let text = (!answer.text.is_empty()).then(|| json!({"type": "text", "text": answer.text}));
    let calls = answer.identified_calls().map(|(id, call)| {
        json!({
            "type": "tool_use",
            "id": format!("toolu_stub_{id}"),
            "name": call.name,
            "input": call.arguments,
        })
    });
    text.into_iter().chain(calls).collect()
}

fn block_events(index: usize, block: &Value) -> Vec<Value> {
    let mut start = block.clone();
    let deltas: Vec<Value> = if let Some(text) = block["text"].as_str() {
        start["text"] = json!("");
        let delta = |piece| json!({"type": "text_delta", "text": piece});
        split_in_pieces(text).into_iter().map(delta).collect()
    } else {
        start["input"] = json!({});
        let arguments = block["input"].to_string();
        let delta = |piece| json!({"type": "input_json_delta", "partial_json": piece});
        split_in_pieces(&arguments).into_iter().map(delta).collect()
    };
    let begin = json!({"type": "content_block_start", "index": index, "content_block": start});
    let end = json!({"type": "content_block_stop", "index": index});
    let deltas = deltas
        .into_iter()
        .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
    std::iter::once(begin).chain(deltas).chain([end]).collect()
}

fn stop_reason(answer: &Answer) -> &'static str {
    if answer.calls.is_empty() {
        "end_turn"
    } else {
        "tool_use"
    }
}
