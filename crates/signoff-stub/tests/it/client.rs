//! A plain HTTP client, and requests as the agents send them.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use signoff_stub::Stub;

pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) head: String,
    /// Whatever arrived, without the frames of the chunks.
    pub(crate) body: String,
    /// Did the answer arrive whole?
    pub(crate) complete: bool,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).expect("a JSON document")
    }

    /// The data of the server-sent events that are JSON.
    pub(crate) fn events(&self) -> Vec<Value> {
        self.body
            .lines()
            .filter_map(|line| line.strip_prefix("data: "))
            .filter_map(|data| serde_json::from_str(data).ok())
            .collect()
    }
}

pub(crate) fn post(stub: &Stub, path: &str, body: &Value) -> Answer {
    post_as(stub, path, body, "")
}

/// The same with further header lines, each with its end.
pub(crate) fn post_as(stub: &Stub, path: &str, body: &Value, headers: &str) -> Answer {
    let body = body.to_string();
    let length = body.len();
    send(
        stub,
        &format!(
            "POST {path} HTTP/1.1\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}"
        ),
    )
}

/// Sends these bytes and reads until the stub closes the connection.
pub(crate) fn send(stub: &Stub, request: &str) -> Answer {
    let mut stream = TcpStream::connect(stub.address()).expect("a connection");
    stream.write_all(request.as_bytes()).expect("it is sent");
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).expect("an answer");
    parse(&String::from_utf8_lossy(&bytes))
}

pub(crate) fn parse(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").expect("a head");
    let code = head.split(' ').nth(1).expect("a status");
    let (body, complete) = if head.contains("transfer-encoding: chunked") {
        unframed(body)
    } else {
        let length = format!("content-length: {}", body.len());
        (body.to_owned(), head.lines().any(|line| line == length))
    };
    Answer {
        code: code.parse().expect("a number"),
        head: head.to_owned(),
        body,
        complete,
    }
}

fn unframed(mut framed: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((length, rest)) = framed.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).expect("a length");
        if length == 0 {
            return (body, rest == "\r\n");
        }
        body.push_str(&rest[..length]);
        framed = rest[length..].strip_prefix("\r\n").expect("an end");
    }
    (body, false)
}

/// A request of Claude Code after this many tool results.
pub(crate) fn anthropic(stream: bool, results: usize) -> Value {
    let mut messages = vec![json!({"role": "user", "content": "Do it."})];
    for number in 0..results {
        let call =
            json!({"type": "tool_use", "id": format!("t{number}"), "name": "Bash", "input": {}});
        let result =
            json!({"type": "tool_result", "tool_use_id": format!("t{number}"), "content": ""});
        messages.push(json!({"role": "assistant", "content": [call]}));
        messages.push(json!({"role": "user", "content": [result]}));
    }
    json!({
        "model": "claude",
        "stream": stream,
        "messages": messages,
        "tools": [{"name": "Bash", "input_schema": command_schema()}],
    })
}

/// A request of Codex; the text and the call of an answer are two items.
pub(crate) fn responses(stream: bool, results: usize) -> Value {
    let mut input = vec![json!({"type": "message", "role": "user", "content": []})];
    for number in 0..results {
        let id = format!("c{number}");
        input.push(json!({"type": "reasoning", "summary": []}));
        input.push(json!({"type": "message", "role": "assistant", "content": []}));
        input.push(
            json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": id}),
        );
        input.push(json!({"type": "function_call_output", "call_id": id, "output": ""}));
    }
    let schema = json!({
        "type": "object",
        "properties": {"command": {"type": "array", "items": {"type": "string"}}},
        "required": ["command"],
    });
    json!({
        "model": "gpt",
        "stream": stream,
        "input": input,
        "tools": [{"type": "function", "name": "shell", "parameters": schema}, {"type": "web_search"}],
    })
}

/// A request of opencode or pi.
pub(crate) fn chat(stream: bool, results: usize) -> Value {
    let mut messages = vec![json!({"role": "system", "content": ""})];
    messages.push(json!({"role": "user", "content": "Do it."}));
    for number in 0..results {
        let id = format!("c{number}");
        let call =
            json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": "{}"}});
        messages.push(json!({"role": "assistant", "content": "", "tool_calls": [call]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": ""}));
    }
    let function = json!({"name": "bash", "parameters": command_schema()});
    json!({
        "model": "gpt",
        "stream": stream,
        "messages": messages,
        "tools": [{"type": "function", "function": function}],
    })
}

/// A request of Gemini CLI, which says in the path whether it wants a stream.
pub(crate) fn gemini(results: usize) -> Value {
    let mut contents = vec![json!({"role": "user", "parts": [{"text": "Do it."}]})];
    for _ in 0..results {
        let name = "run_shell_command";
        contents.push(
            json!({"role": "model", "parts": [{"functionCall": {"name": name, "args": {}}}]}),
        );
        contents.push(json!({"role": "user", "parts": [{"functionResponse": {"name": name, "response": {}}}]}));
    }
    let declaration =
        json!({"name": "run_shell_command", "parametersJsonSchema": command_schema()});
    json!({"contents": contents, "tools": [{"functionDeclarations": [declaration]}]})
}

fn command_schema() -> Value {
    json!({"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]})
}
