//! Which reply a request gets.

use serde_json::{Value, json};
use signoff_stub::{Reply, Script, Stub, TodoEntry, TodoStatus, Turn, Wire};

use crate::client::{anthropic, chat, gemini, post, responses};

const MESSAGES: &str = "/v1/messages";

fn text(text: &str) -> Reply {
    Reply::Text(text.to_owned())
}

fn start(replies: Vec<Reply>) -> Stub {
    Stub::start(Script::new(replies)).expect("a stub")
}

fn said(stub: &Stub, request: &Value) -> String {
    let answer = post(stub, MESSAGES, request).json();
    answer["content"][0]["text"]
        .as_str()
        .expect("a text")
        .to_owned()
}

#[test]
fn a_retry_gets_the_same_reply() {
    let stub = start(vec![text("one"), text("two")]);
    for (results, expected) in [(0, "one"), (0, "one"), (1, "two"), (0, "one")] {
        assert_eq!(said(&stub, &anthropic(false, results)), expected);
    }
    assert_eq!(said(&stub, &anthropic(false, 2)), "The script has ended.");
}

#[test]
fn a_side_call_without_tools_is_no_turn() {
    let stub = start(vec![Reply::Status {
        code: 500,
        retry_after: None,
    }]);
    let title = json!({"messages": [{"role": "user", "content": "Make a title."}]});
    assert_eq!(said(&stub, &title), "Stub");
}

#[test]
fn what_a_conversation_is_about_chooses_its_script() {
    let script = Script::new([text("other")])
        .when_about("a plan \"again\"", Script::of_questions([text("again")]))
        .when_about("a plan", Script::new([text("plan"), text("done")]));
    let stub = Stub::start(script).expect("a stub");
    let asks = |words: &str, results| {
        let mut request = anthropic(false, results);
        request["messages"][0]["content"] = json!([{"type": "text", "text": words}]);
        request
    };
    for (words, results, expected) in [
        ("make a plan", 0, "plan"),
        ("make a plan", 1, "done"),
        ("do it", 0, "other"),
    ] {
        assert_eq!(said(&stub, &asks(words, results)), expected, "{words}");
    }
    let question = |words: &str| json!({"messages": [{"role": "user", "content": words}]});
    assert_eq!(said(&stub, &question("a plan \"again\"")), "again");
    // Each has replies of its own.
    assert_eq!(said(&stub, &question("a plan \"again\"")), "Stub");
}

#[test]
fn every_format_counts_answers() {
    let stub = start(vec![text("one")]);
    for results in 0..3 {
        post(&stub, MESSAGES, &anthropic(false, results));
        post(&stub, "/v1/responses", &responses(false, results));
        post(&stub, "/v1/chat/completions", &chat(false, results));
        post(&stub, "/v1beta/models/m:generateContent", &gemini(results));
    }
    let prompts = stub
        .requests()
        .into_iter()
        .map(|request| request.prompt.expect("a prompt"));
    let mut seen: Vec<(Wire, usize)> = Vec::new();
    for prompt in prompts {
        seen.push((prompt.wire, prompt.turn));
    }
    let of = |turn| {
        [Wire::Anthropic, Wire::Responses, Wire::Chat, Wire::Gemini].map(|wire| (wire, turn))
    };
    assert_eq!(seen, [of(0), of(1), of(2)].concat());
}

#[test]
fn failures_come_first_and_once() {
    let turn = Turn::from(text("one")).after_failures([Reply::Status {
        code: 529,
        retry_after: Some(7),
    }]);
    let stub = Stub::start(Script::new([turn])).expect("a stub");
    let failed = post(&stub, MESSAGES, &anthropic(false, 0));
    assert_eq!(failed.code, 529);
    assert!(failed.head.contains("retry-after: 7"), "{}", failed.head);
    assert_eq!(failed.json()["error"]["type"], "overloaded_error");
    assert_eq!(said(&stub, &anthropic(false, 0)), "one");
}

#[test]
fn an_agent_without_todos_never_sees_them() {
    let entries = vec![TodoEntry {
        text: "test".to_owned(),
        status: TodoStatus::Pending,
    }];
    let stub = start(vec![Reply::Todo { entries }, text("one")]);
    assert_eq!(said(&stub, &anthropic(false, 0)), "one");
    let mut request = anthropic(false, 0);
    let entry = json!({"type": "object", "properties": {"content": {"type": "string"}}});
    request["tools"][0] = json!({
        "name": "TodoWrite",
        "input_schema": {"properties": {"todos": {"type": "array", "items": entry}}},
    });
    let answer = post(&stub, MESSAGES, &request).json();
    assert_eq!(
        answer["content"][1]["input"],
        json!({"todos": [{"content": "test"}]})
    );
}

#[test]
fn a_missing_tool_is_said() {
    let stub = start(vec![Reply::Shell {
        command: "ls".to_owned(),
    }]);
    let mut request = anthropic(false, 0);
    request["tools"][0]["name"] = json!("Read");
    assert_eq!(
        said(&stub, &request),
        "The script needs a tool that the agent does not declare. It declares: Read."
    );
}

#[test]
fn requests_are_remembered() {
    let stub = start(vec![]);
    post(&stub, "/v1/messages?beta=true", &anthropic(true, 1));
    let [request] = &stub.requests()[..] else {
        panic!("{:?}", stub.requests());
    };
    assert_eq!(
        (request.path.as_str(), request.query.as_str()),
        (MESSAGES, "beta=true")
    );
    assert_eq!(request.body, anthropic(true, 1));
    let prompt = request.prompt.as_ref().expect("a prompt");
    assert_eq!(prompt.model, "claude");
    assert_eq!(prompt.tools, ["Bash"]);
}
