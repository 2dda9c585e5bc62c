//! Each wire format, streamed and not: a call of the shell, then a text.

use serde_json::{Value, json};
use signoff_stub::{Reply, Script, Stub, Turn, Usage};

use crate::client::{anthropic, chat, gemini, post, responses, send};

const MESSAGES: &str = "/v1/messages?beta=true";
const RESPONSES: &str = "/v1/responses";
const CHAT: &str = "/v1/chat/completions";
const GENERATE: &str = "/v1beta/models/gemini-9:generateContent";
const STREAM: &str = "/v1beta/models/gemini-9:streamGenerateContent";

fn start() -> Stub {
    let usage = Usage {
        input: 500,
        cached: 200,
        output: 30,
    };
    let shell = Reply::Shell {
        command: "make 'it' \"so\"".to_owned(),
    };
    let turns = [
        Turn::from(shell).with_usage(usage),
        Turn::from(Reply::Text("Done, häßlich.".to_owned())).with_usage(usage),
    ];
    Stub::start(Script::new(turns)).expect("a stub")
}

/// The texts at this place in the events, put together.
fn joined(events: &[Value], pointer: &str) -> String {
    let texts = events.iter().filter_map(|event| event.pointer(pointer));
    texts.filter_map(Value::as_str).collect()
}

#[test]
fn anthropic_messages() {
    let stub = start();
    let called = post(&stub, MESSAGES, &anthropic(false, 0)).json();
    assert_eq!(called["stop_reason"], "tool_use");
    assert_eq!(called["content"][0]["type"], "text");
    assert_eq!(called["content"][1]["name"], "Bash");
    assert_eq!(
        called["content"][1]["input"],
        json!({"command": "make 'it' \"so\""})
    );
    let said = post(&stub, MESSAGES, &anthropic(false, 1)).json();
    assert_eq!(said["stop_reason"], "end_turn");
    assert_eq!(
        said["content"],
        json!([{"type": "text", "text": "Done, häßlich."}])
    );
    assert_eq!(
        said["usage"],
        json!({"input_tokens": 300, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 200, "output_tokens": 30})
    );
}

#[test]
fn anthropic_messages_streamed() {
    let stub = start();
    let called = post(&stub, MESSAGES, &anthropic(true, 0));
    assert!(called.complete && called.head.contains("content-type: text/event-stream"));
    assert!(
        called.body.starts_with("event: message_start\ndata: {"),
        "{}",
        called.body
    );
    let events = called.events();
    let kinds = joined(&events, "/content_block/type");
    assert_eq!(kinds, "texttool_use");
    assert_eq!(
        joined(&events, "/delta/partial_json"),
        r#"{"command":"make 'it' \"so\""}"#
    );
    assert_eq!(joined(&events, "/delta/stop_reason"), "tool_use");
    assert_eq!(events.last().expect("events")["type"], "message_stop");
    let events = post(&stub, MESSAGES, &anthropic(true, 1)).events();
    assert_eq!(joined(&events, "/delta/text"), "Done, häßlich.");
    assert_eq!(
        events[0]["message"]["usage"]["cache_read_input_tokens"],
        200
    );
    let counted = events.iter().find(|event| event["type"] == "message_delta");
    assert_eq!(counted.expect("usage")["usage"]["output_tokens"], 30);
}

#[test]
fn openai_responses() {
    let stub = start();
    let called = post(&stub, RESPONSES, &responses(false, 0)).json();
    assert_eq!(called["output"][1]["type"], "function_call");
    assert_eq!(
        called["output"][1]["arguments"],
        r#"{"command":["bash","-lc","make 'it' \"so\""]}"#
    );
    let said = post(&stub, RESPONSES, &responses(false, 1)).json();
    assert_eq!(said["output"][0]["content"][0]["text"], "Done, häßlich.");
    assert_eq!(said["usage"]["input_tokens"], 500);
    assert_eq!(said["usage"]["input_tokens_details"]["cached_tokens"], 200);
    assert_eq!(said["usage"]["output_tokens"], 30);
}

#[test]
fn openai_responses_streamed() {
    let stub = start();
    let answer = post(&stub, RESPONSES, &responses(true, 0));
    assert!(answer.complete);
    let events = answer.events();
    let kind = |event: &Value| event["type"].as_str().expect("a type").to_owned();
    assert_eq!(kind(&events[0]), "response.created");
    assert!(
        events
            .iter()
            .enumerate()
            .all(|(number, event)| event["sequence_number"] == number)
    );
    let calls = events
        .iter()
        .filter(|event| kind(event).contains("arguments.delta"));
    let arguments: String = calls.filter_map(|event| event["delta"].as_str()).collect();
    assert_eq!(
        arguments,
        r#"{"command":["bash","-lc","make 'it' \"so\""]}"#
    );
    let last = events.last().expect("events");
    assert_eq!(kind(last), "response.completed");
    assert_eq!(last["response"]["output"][1]["call_id"], "call_stub_1_1");
    let events = post(&stub, RESPONSES, &responses(true, 1)).events();
    assert_eq!(joined(&events, "/delta"), "Done, häßlich.");
}

#[test]
fn openai_chat() {
    let stub = start();
    let called = post(&stub, CHAT, &chat(false, 0)).json();
    let choice = &called["choices"][0];
    assert_eq!(choice["finish_reason"], "tool_calls");
    let function = &choice["message"]["tool_calls"][0]["function"];
    assert_eq!(function["name"], "bash");
    assert_eq!(function["arguments"], r#"{"command":"make 'it' \"so\""}"#);
    let said = post(&stub, CHAT, &chat(false, 1)).json();
    assert_eq!(said["choices"][0]["message"]["content"], "Done, häßlich.");
    assert_eq!(said["choices"][0]["finish_reason"], "stop");
    assert_eq!(said["usage"]["prompt_tokens"], 500);
    assert_eq!(said["usage"]["prompt_tokens_details"]["cached_tokens"], 200);
    assert_eq!(said["usage"]["completion_tokens"], 30);
}

#[test]
fn openai_chat_streamed() {
    let stub = start();
    let called = post(&stub, CHAT, &chat(true, 0));
    assert!(called.complete && called.body.ends_with("data: [DONE]\n\n"));
    let function = "/choices/0/delta/tool_calls/0/function";
    let events = called.events();
    assert_eq!(joined(&events, &format!("{function}/name")), "bash");
    assert_eq!(
        joined(&events, &format!("{function}/arguments")),
        r#"{"command":"make 'it' \"so\""}"#
    );
    let events = post(&stub, CHAT, &chat(true, 1)).events();
    assert_eq!(
        joined(&events, "/choices/0/delta/content"),
        "Done, häßlich."
    );
    assert_eq!(joined(&events, "/choices/0/finish_reason"), "stop");
    assert_eq!(
        events.last().expect("events")["usage"]["completion_tokens"],
        30
    );
}

#[test]
fn gemini_content() {
    let stub = start();
    let called = post(&stub, GENERATE, &gemini(0)).json();
    let call = &called["candidates"][0]["content"]["parts"][1]["functionCall"];
    assert_eq!(call["name"], "run_shell_command");
    assert_eq!(call["args"], json!({"command": "make 'it' \"so\""}));
    let said = post(&stub, GENERATE, &gemini(1)).json();
    assert_eq!(
        said["candidates"][0]["content"]["parts"][0]["text"],
        "Done, häßlich."
    );
    assert_eq!(said["modelVersion"], "gemini-9");
    assert_eq!(
        said["usageMetadata"],
        json!({"promptTokenCount": 500, "cachedContentTokenCount": 200, "candidatesTokenCount": 30, "totalTokenCount": 530})
    );
}

#[test]
fn gemini_content_streamed() {
    let stub = start();
    let text = "/candidates/0/content/parts/0/text";
    let events = post(&stub, &format!("{STREAM}?alt=sse"), &gemini(1)).events();
    assert!(events.len() > 1);
    assert_eq!(joined(&events, text), "Done, häßlich.");
    assert_eq!(joined(&events, "/candidates/0/finishReason"), "STOP");
    let list = post(&stub, STREAM, &gemini(1)).json();
    assert_eq!(
        joined(list.as_array().expect("a list"), text),
        "Done, häßlich."
    );
}

#[test]
fn what_agents_ask_besides() {
    let stub = start();
    let get = |path: &str| {
        send(
            &stub,
            &format!("GET {path} HTTP/1.1\r\nconnection: close\r\n\r\n"),
        )
    };
    assert_eq!(get("/v1/models").json()["data"][0]["id"], "stub-model");
    assert_eq!(
        get("/v1beta/models").json()["models"][0]["name"],
        "models/stub-model"
    );
    assert_eq!(get("/elsewhere").code, 404);
    let head = send(&stub, "HEAD / HTTP/1.1\r\nconnection: close\r\n\r\n");
    assert_eq!((head.code, head.body.as_str()), (200, ""));
    let count = |path, tokens: &str| assert_eq!(post(&stub, path, &json!({})).json()[tokens], 1000);
    count("/v1/messages/count_tokens?beta=true", "input_tokens");
    count("/v1beta/models/gemini-9:countTokens", "totalTokens");
}
