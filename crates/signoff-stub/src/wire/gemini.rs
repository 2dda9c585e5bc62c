//! Google's Gemini.

use serde_json::{Value, json};

use crate::answer::{Answer, ToolCall, split_in_pieces};
use crate::conversation::{Author, Conversation, Tool, answers, elements};

/// Model and mode stand in the path: `…/models/MODEL:streamGenerateContent`.
pub(super) fn conversation(path: &str, body: &Value) -> Conversation {
    let last = path.rsplit('/').next().unwrap_or_default();
    let (model, method) = last.split_once(':').unwrap_or((last, ""));
    let author = |content: &Value| match content["role"].as_str() {
        Some("model") => Author::Model,
        _ => Author::Agent,
    };
    Conversation {
        model: model.to_owned(),
        stream: method == "streamGenerateContent",
        turn: answers(elements(&body["contents"]).map(author)),
        tools: elements(&body["tools"])
            .flat_map(|group| elements(&group["functionDeclarations"]))
            .filter_map(declared_tool)
            .collect(),
        called: elements(&body["contents"])
            .flat_map(|content| elements(&content["parts"]))
            .filter_map(|part| Some(part["functionCall"]["name"].as_str()?.to_owned()))
            .collect(),
    }
}

fn declared_tool(function: &Value) -> Option<Tool> {
    let schema = match &function["parametersJsonSchema"] {
        Value::Null => &function["parameters"],
        schema => schema,
    };
    Tool::new(&function["name"], schema)
}

pub(super) fn document(answer: &Answer) -> Value {
    let text = (!answer.text.is_empty()).then(|| json!({"text": answer.text}));
    let parts = text.into_iter().chain(calls(answer)).collect();
    chunk(answer, parts, Some("STOP"))
}

pub(super) fn events(answer: &Answer) -> Vec<Value> {
    let mut parts: Vec<Value> = split_in_pieces(&answer.text)
        .into_iter()
        .map(|piece| json!({"text": piece}))
        .collect();
    parts.extend(calls(answer));
    let last = parts.pop().unwrap_or_else(|| json!({"text": ""}));
    let mut events: Vec<Value> = parts
        .into_iter()
        .map(|part| chunk(answer, vec![part], None))
        .collect();
    events.push(chunk(answer, vec![last], Some("STOP")));
    events
}

pub(super) fn error_status(code: u16) -> &'static str {
    match code {
        400 => "INVALID_ARGUMENT",
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        503 => "UNAVAILABLE",
        _ => "INTERNAL",
    }
}

fn calls(answer: &Answer) -> impl Iterator<Item = Value> {
    let call =
        |call: &ToolCall| json!({"functionCall": {"name": call.name, "args": call.arguments}});
    answer.calls.iter().map(call)
}

fn chunk(answer: &Answer, parts: Vec<Value>, finish_reason: Option<&str>) -> Value {
    let usage = answer.usage;
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    if let Some(reason) = finish_reason {
        candidate["finishReason"] = json!(reason);
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": usage.input,
            "cachedContentTokenCount": usage.cached,
            "candidatesTokenCount": usage.output,
            "totalTokenCount": usage.input.saturating_add(usage.output),
        },
        "modelVersion": answer.model,
        "responseId": format!("stub-{}", answer.number),
    })
}
