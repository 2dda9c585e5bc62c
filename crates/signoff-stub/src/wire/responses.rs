//! `OpenAI` responses.

use serde_json::{Value, json};

use crate::answer::{Answer, split_in_pieces};
use crate::conversation::{Author, Conversation, Tool, answers, elements};

pub(super) fn conversation(body: &Value) -> Conversation {
    // Text, reasoning and tool calls of one answer are items of their own.
    let author = |item: &Value| match (item["role"].as_str(), item["type"].as_str()) {
        (Some("assistant"), _) => Author::Model,
        (_, Some("reasoning" | "web_search_call")) => Author::Model,
        (_, Some(kind)) if kind.ends_with("_call") => Author::Model,
        _ => Author::Agent,
    };
    Conversation {
        model: body["model"].as_str().unwrap_or("stub-model").to_owned(),
        stream: body["stream"] == true,
        turn: answers(elements(&body["input"]).map(author)),
        tools: elements(&body["tools"])
            .filter(|tool| tool["type"] == "function")
            .filter_map(|tool| Tool::new(&tool["name"], &tool["parameters"]))
            .collect(),
        called: elements(&body["input"])
            .filter(|item| item["type"] == "function_call")
            .filter_map(|item| Some(item["name"].as_str()?.to_owned()))
            .collect(),
    }
}

pub(super) fn document(answer: &Answer) -> Value {
    let mut document = head(answer, "completed");
    document["output"] = Value::Array(items(answer));
    document["usage"] = usage(answer);
    document
}

pub(super) fn events(answer: &Answer) -> Vec<Value> {
    let begun = head(answer, "in_progress");
    let mut events = vec![
        json!({"type": "response.created", "response": begun}),
        json!({"type": "response.in_progress", "response": begun}),
    ];
    for (index, item) in items(answer).iter().enumerate() {
        events.extend(item_events(index, item));
    }
    events.push(json!({"type": "response.completed", "response": document(answer)}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events
}

fn head(answer: &Answer, status: &str) -> Value {
    json!({
        "id": format!("resp_stub_{}", answer.number),
        "object": "response",
        "created_at": 0,
        "status": status,
        "model": answer.model,
        "output": [],
    })
}

fn items(answer: &Answer) -> Vec<Value> {
    let number = answer.number;
    let text = (!answer.text.is_empty()).then(|| {
        json!({
            "id": format!("msg_stub_{number}"),
            "type": "message",
            "status": "completed",
            "role": "assistant",
            "content": [{"type": "output_text", "text": answer.text, "annotations": []}],
        })
    });
    let calls = answer.identified_calls().map(|(id, call)| {
        let mut item = json!({
            "id": format!("fc_stub_{id}"),
            "type": "function_call",
            "status": "completed",
            "call_id": format!("call_stub_{id}"),
            "name": call.name,
            "arguments": call.arguments.to_string(),
        });
        // Tools of servers are found by a search, and called in the namespace of their server.
        if let Some((server, tool)) = server_tool(&call.name) {
            item["name"] = json!(tool);
            item["namespace"] = json!(format!("mcp__{server}"));
        }
        item
    });
    text.into_iter().chain(calls).collect()
}

fn server_tool(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("mcp__")?.split_once("__")
}

fn item_events(index: usize, item: &Value) -> Vec<Value> {
    let mut begun = item.clone();
    begun["status"] = json!("in_progress");
    let inner = if item["type"] == "message" {
        begun["content"] = json!([]);
        text_events(item)
    } else {
        begun["arguments"] = json!("");
        call_events(item)
    };
    let mut events = vec![json!({"type": "response.output_item.added", "item": begun})];
    events.extend(inner);
    events.push(json!({"type": "response.output_item.done", "item": item}));
    for event in &mut events {
        event["output_index"] = json!(index);
    }
    events
}

fn text_events(item: &Value) -> Vec<Value> {
    let part = &item["content"][0];
    let text = part["text"].as_str().unwrap_or_default();
    let empty = json!({"type": "output_text", "text": "", "annotations": []});
    let mut events = vec![json!({"type": "response.content_part.added", "part": empty})];
    for piece in split_in_pieces(text) {
        events.push(json!({"type": "response.output_text.delta", "delta": piece}));
    }
    events.push(json!({"type": "response.output_text.done", "text": text}));
    events.push(json!({"type": "response.content_part.done", "part": part}));
    for event in &mut events {
        event["item_id"] = item["id"].clone();
        event["content_index"] = json!(0);
    }
    events
}

fn call_events(item: &Value) -> Vec<Value> {
    let arguments = item["arguments"].as_str().unwrap_or_default();
    let mut events: Vec<Value> = split_in_pieces(arguments)
        .into_iter()
        .map(|piece| json!({"type": "response.function_call_arguments.delta", "delta": piece}))
        .collect();
    events.push(json!({"type": "response.function_call_arguments.done", "arguments": arguments}));
    for event in &mut events {
        event["item_id"] = item["id"].clone();
    }
    events
}

fn usage(answer: &Answer) -> Value {
    let usage = answer.usage;
    json!({
        "input_tokens": usage.input,
        "input_tokens_details": {"cached_tokens": usage.cached},
        "output_tokens": usage.output,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": usage.input.saturating_add(usage.output),
    })
}
