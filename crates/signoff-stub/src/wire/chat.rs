//! `OpenAI` chat completions.

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
            .map(|tool| &tool["function"])
            .filter_map(|function| Tool::new(&function["name"], &function["parameters"]))
            .collect(),
        called: elements(&body["messages"])
            .flat_map(|message| elements(&message["tool_calls"]))
            .filter_map(|call| Some(call["function"]["name"].as_str()?.to_owned()))
            .collect(),
    }
}

pub(super) fn document(answer: &Answer) -> Value {
    let mut message = json!({"role": "assistant", "content": answer.text});
    if !answer.calls.is_empty() {
        message["tool_calls"] = calls(answer).collect();
    }
    let choice = json!({"index": 0, "message": message, "finish_reason": finish_reason(answer)});
    let mut document = head(answer, "chat.completion");
    document["choices"] = json!([choice]);
    document["usage"] = usage(answer);
    document
}

pub(super) fn events(answer: &Answer) -> Vec<Value> {
    let chunk = |delta: Value, finish_reason: Value| {
        let mut chunk = head(answer, "chat.completion.chunk");
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": finish_reason}]);
        chunk
    };
    let mut events = vec![chunk(
        json!({"role": "assistant", "content": ""}),
        Value::Null,
    )];
    for piece in split_in_pieces(&answer.text) {
        events.push(chunk(json!({"content": piece}), Value::Null));
    }
    for (index, mut call) in calls(answer).enumerate() {
        let arguments = call["function"]["arguments"].take();
        call["index"] = json!(index);
        call["function"]["arguments"] = json!("");
        events.push(chunk(json!({"tool_calls": [call]}), Value::Null));
        for piece in split_in_pieces(arguments.as_str().unwrap_or_default()) {
            let part = json!({"index": index, "function": {"arguments": piece}});
            events.push(chunk(json!({"tool_calls": [part]}), Value::Null));
        }
    }
    events.push(chunk(json!({}), json!(finish_reason(answer))));
    let mut last = head(answer, "chat.completion.chunk");
    last["choices"] = json!([]);
    last["usage"] = usage(answer);
    events.push(last);
    events
}

pub(super) fn error_type(code: u16) -> &'static str {
    match code {
        401 => "invalid_api_key",
        429 => "rate_limit_exceeded",
        500.. => "server_error",
        _ => "invalid_request_error",
    }
}

fn head(answer: &Answer, object: &str) -> Value {
    json!({
        "id": format!("chatcmpl-stub-{}", answer.number),
        "object": object,
        "created": 0,
        "model": answer.model,
    })
}

/// Arguments are text in this format.
fn calls(answer: &Answer) -> impl Iterator<Item = Value> {
    answer.identified_calls().map(|(id, call)| {
        json!({
            "id": format!("call_stub_{id}"),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments.to_string()},
        })
    })
}

fn usage(answer: &Answer) -> Value {
    let usage = answer.usage;
    json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "total_tokens": usage.input.saturating_add(usage.output),
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    })
}

fn finish_reason(answer: &Answer) -> &'static str {
    if answer.calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    }
}
