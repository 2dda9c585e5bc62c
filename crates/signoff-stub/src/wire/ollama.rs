//! Ollama's chat: one JSON object on each line.

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
        // It streams unless it is told not to.
        stream: body["stream"] != false,
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
    let mut document = end(answer);
    document["message"] = message(&answer.text, answer);
    document
}

pub(super) fn events(answer: &Answer) -> Vec<Value> {
    let piece = |text| {
        json!({
            "model": answer.model,
            "created_at": "1970-01-01T00:00:00Z",
            "message": {"role": "assistant", "content": text},
            "done": false,
        })
    };
    let mut events: Vec<Value> = split_in_pieces(&answer.text)
        .into_iter()
        .map(piece)
        .collect();
    let mut last = end(answer);
    last["message"] = message("", answer);
    events.push(last);
    events
}

fn message(text: &str, answer: &Answer) -> Value {
    let mut message = json!({"role": "assistant", "content": text});
    if !answer.calls.is_empty() {
        let calls = answer.calls.iter();
        let calls =
            calls.map(|call| json!({"function": {"name": call.name, "arguments": call.arguments}}));
        message["tool_calls"] = calls.collect();
    }
    message
}

fn end(answer: &Answer) -> Value {
    json!({
        "model": answer.model,
        "created_at": "1970-01-01T00:00:00Z",
        "message": null,
        "done_reason": "stop",
        "done": true,
        "prompt_eval_count": answer.usage.input,
        "eval_count": answer.usage.output,
    })
}
