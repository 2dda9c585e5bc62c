//! Tolerant access to the JSON of agents: what is missing or of another type reads as nothing.

use serde_json::Value;

use super::text::one_line;

/// The object of a line, if it is one.
pub(super) fn object(line: &[u8]) -> Option<Value> {
    let value: Value = match std::str::from_utf8(line) {
        Ok(text) => serde_json::from_str(text).ok()?,
        // A tool's output may be cut in the middle of a character.
        Err(_) => serde_json::from_str(&String::from_utf8_lossy(line)).ok()?,
    };
    value.is_object().then_some(value)
}

/// The text at this pointer; empty if there is none.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The number at this pointer; 0 if there is none, or if it is negative.
pub(super) fn number(value: &Value, pointer: &str) -> u64 {
    let Some(found) = value.pointer(pointer) else {
        return 0;
    };
    found.as_u64().unwrap_or_else(|| to_whole(found.as_f64()))
}

/// Dollars at this pointer, in micro-dollars.
pub(super) fn micro_dollars(value: &Value, pointer: &str) -> Option<u64> {
    let dollars = value.pointer(pointer)?.as_f64()?;
    (dollars >= 0.0).then(|| to_whole(Some(dollars * 1e6)))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and that is what is wanted"
)]
fn to_whole(number: Option<f64>) -> u64 {
    number.map_or(0, |number| number.round() as u64)
}

pub(super) fn flag(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer).and_then(Value::as_bool) == Some(true)
}

/// The array at this pointer; empty if there is none.
pub(super) fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The texts of content blocks (`[{"type":"text","text":…}]`), or of a plain string.
pub(super) fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => {
            let texts = blocks.iter().map(|block| match text(block, "/text") {
                "" => text(block, "/content/text"),
                found => found,
            });
            texts
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        }
        _ => String::new(),
    }
}

/// What a tool call is about, from its arguments.
pub(super) fn call_subject(arguments: &Value) -> String {
    const MEMBERS: [&str; 18] = [
        "file_path",
        "filePath",
        "notebook_path",
        "absolute_path",
        "path",
        "command",
        "cmd",
        "pattern",
        "query",
        "url",
        "dir_path",
        "skill",
        "subject",
        "description",
        "prompt",
        "title",
        "task",
        "name",
    ];
    for member in MEMBERS {
        match arguments.get(member) {
            Some(Value::String(found)) if !found.trim().is_empty() => return one_line(found),
            Some(Value::Array(words)) => {
                let words: Vec<_> = words.iter().filter_map(Value::as_str).collect();
                return one_line(&words.join(" "));
            }
            _ => {}
        }
    }
    String::new()
}
