//! Lines that are no messages, and messages that are no good.

use serde_json::{Value, json};
use signoff_mcp::{LONGEST_MESSAGE, serve_streams};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::world::World;

const HELLO: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;

/// What the server answers to these lines, in the order in which it does.
async fn answers(lines: &[Vec<u8>]) -> Vec<Value> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let world = World::new();
    let served = tokio::spawn(serve_streams(world.server(), read, write));
    let (mut read, mut write) = tokio::io::split(ours);
    let lines = lines.to_vec();
    let written = tokio::spawn(async move {
        for line in lines {
            write.write_all(&line).await.unwrap();
            write.write_all(b"\n").await.unwrap();
        }
        write.shutdown().await.unwrap();
        write
    });
    let mut text = String::new();
    read.read_to_string(&mut text).await.unwrap();
    drop(written.await.unwrap());
    served.await.unwrap().unwrap();
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn list(id: u32) -> Vec<u8> {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "plan_list"}});
    request.to_string().into_bytes()
}

#[tokio::test]
async fn every_bad_line_is_answered_and_none_is_fatal() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    let too_long = format!(
        r#"{{"jsonrpc":"2.0","id":9,"method":"x","params":"{}"}}"#,
        "x".repeat(LONGEST_MESSAGE)
    );
    let bad: Vec<(Vec<u8>, i64)> = vec![
        (b"no json".to_vec(), -32700),
        (b"\xff\xfe\x00".to_vec(), -32700),
        (b"{\"jsonrpc\":".to_vec(), -32700),
        (deep.into_bytes(), -32700),
        (b"[]".to_vec(), -32600),
        (b"7".to_vec(), -32600),
        (b"{}".to_vec(), -32600),
        (
            b"{\"jsonrpc\":\"1.0\",\"id\":5,\"method\":7}".to_vec(),
            -32600,
        ),
        (too_long.into_bytes(), -32600),
    ];
    let mut lines = vec![HELLO.as_bytes().to_vec()];
    lines.extend(bad.iter().map(|(line, _)| line.clone()));
    lines.extend([b"".to_vec(), b"  \r".to_vec()]);
    lines.push(b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard/of\"}".to_vec());
    lines.push(list(2));
    let answers = answers(&lines).await;
    let mut codes: Vec<i64> = answers
        .iter()
        .filter_map(|one| one["error"]["code"].as_i64())
        .collect();
    let mut expected: Vec<i64> = bad.iter().map(|(_, code)| *code).collect();
    codes.sort_unstable();
    expected.sort_unstable();
    assert_eq!(codes, expected, "{answers:#?}");
    let messages = answers
        .iter()
        .filter_map(|one| one["error"]["message"].as_str());
    let too_long = messages.filter(|message| message.contains("at most"));
    assert_eq!(too_long.count(), 1, "{answers:#?}");
    let listed = answers.iter().find(|one| one["id"] == 2);
    assert_eq!(listed.unwrap()["result"]["isError"], false);
}

#[tokio::test]
async fn what_comes_before_the_first_request_is_answered_too() {
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let response = r#"{"jsonrpc":"2.0","id":4,"result":{}}"#;
    let lines = ["nonsense", notification, response, HELLO].map(|line| line.as_bytes().to_vec());
    let mut lines = lines.to_vec();
    lines.push(list(2));
    let answers = answers(&lines).await;
    assert_eq!(answers[0]["error"]["code"], -32700);
    assert_eq!(answers[1]["result"]["protocolVersion"], "2025-11-25");
    assert!(
        answers
            .iter()
            .any(|one| one["id"] == 2 && one.get("result").is_some())
    );
}

#[tokio::test]
async fn a_client_that_says_nothing_or_half_a_line_is_no_error() {
    assert_eq!(answers(&[]).await, Vec::<Value>::new());
    let (mut ours, theirs) = tokio::io::duplex(1 << 16);
    let (read, write) = tokio::io::split(theirs);
    let world = World::new();
    let served = tokio::spawn(serve_streams(world.server(), read, write));
    ours.write_all(b"{\"jsonrpc\"").await.unwrap();
    drop(ours);
    served.await.unwrap().unwrap();
}

#[tokio::test]
async fn names_that_lead_nowhere_are_tool_errors() {
    let mut lines = vec![HELLO.as_bytes().to_vec()];
    let names = [
        "../../../etc/passwd",
        "",
        "-rf",
        "a\u{0}b",
        "/",
        ".",
        "%2e%2e",
        "x".repeat(100_000).leak(),
    ];
    for (at, name) in names.iter().enumerate() {
        for (tool, offset) in [
            ("plan_get", 100),
            ("plan_run", 200),
            ("plan_approve", 300),
            ("plan_revise", 400),
        ] {
            let request = json!({"jsonrpc": "2.0", "id": at + offset, "method": "tools/call", "params": {"name": tool, "arguments": {"plan": name}}});
            lines.push(request.to_string().into_bytes());
        }
    }
    let answers = answers(&lines).await;
    assert_eq!(answers.len(), 1 + names.len() * 4);
    for one in &answers[1..] {
        assert_eq!(one["result"]["isError"], true, "{one}");
    }
}

#[tokio::test]
async fn files_that_are_no_plans_are_not_shown() {
    use crate::world::{Generation, Person, call};
    let world = World::new();
    world.write("project/.env", "KEY=verysecret");
    world.write("outside.md", crate::world::PLAN);
    let client = world.connect(Generation::Older, &Person::agreeing()).await;
    for (tool, argument) in [
        ("plan_get", "plan"),
        ("plan_verify", "plan"),
        ("plan_approve", "plan"),
        ("plan_status", "plan"),
    ] {
        for file in [".env", "../outside.md", "/etc/passwd"] {
            let told = call(&client, tool, json!({argument: file})).await;
            let all = format!("{} {}", told.text, told.value);
            assert!(
                told.failed && !all.contains("verysecret") && !all.contains("hello"),
                "{tool} {file}: {all}"
            );
        }
    }
}

/// Values of any shape, the same ones each time.
struct Shapes(u64);

impl Shapes {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn pick<'t>(&mut self, words: &[&'t str]) -> &'t str {
        words[self.below(words.len())]
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth > 3 { 6 } else { 9 }) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(u64::MAX),
            3 => json!(-1.5e300),
            4 => json!("x".repeat(1000)),
            5 => json!(self.pick(&[
                "",
                "\0",
                "../..",
                "greet",
                "2026-07-28",
                "signoff://plans/greet"
            ])),
            6 => (0..self.below(4)).map(|_| self.value(depth + 1)).collect(),
            _ => {
                let names = [
                    "plan",
                    "text",
                    "title",
                    "steps",
                    "name",
                    "arguments",
                    "_meta",
                    "uri",
                    "cursor",
                    "session",
                    "thread_id",
                    "question",
                    "choices",
                    "id",
                    "path",
                    "states",
                    "run",
                    "inputResponses",
                    "requestState",
                    "taskId",
                    "requestId",
                    "protocolVersion",
                ];
                let members = (0..self.below(5)).map(|_| {
                    let name = self.pick(&names).to_owned();
                    (name, self.value(depth + 1))
                });
                Value::Object(members.collect())
            }
        }
    }

    fn request(&mut self, id: usize) -> Value {
        let methods = [
            "tools/call",
            "tools/call",
            "tools/call",
            "resources/read",
            "resources/list",
            "prompts/get",
            "initialize",
            "server/discover",
            "tasks/get",
            "tasks/cancel",
            "tasks/update",
            "completion/complete",
            "subscriptions/listen",
            "elicitation/create",
            "unheard/of",
        ];
        let method = self.pick(&methods);
        let mut params = self.value(0);
        if method == "tools/call" {
            let tools = [
                "plan_propose",
                "plan_list",
                "plan_get",
                "plan_verify",
                "plan_revise",
                "plan_approve",
                "plan_reject",
                "plan_run",
                "plan_ask",
                "plan_dir",
                "plan_commit",
                "nothing",
            ];
            params = json!({"name": self.pick(&tools), "arguments": self.value(0)});
            if self.below(3) == 0 {
                let newer = json!({
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
                    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
                });
                params["_meta"] = newer;
                params["inputResponses"] = self.value(0);
                params["requestState"] = self.value(2);
            }
        }
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
    }
}

/// In both generations: each request is answered once at most, none is fatal, and none is our mistake.
#[tokio::test]
async fn requests_of_any_shape_are_survived() {
    let mut shapes = Shapes(0x5eed);
    let mut lines = vec![HELLO.as_bytes().to_vec()];
    let count = 600;
    for id in 100..100 + count {
        lines.push(shapes.request(id).to_string().into_bytes());
    }
    lines.push(list(2));
    let answers = answers(&lines).await;
    let listed = answers.iter().find(|one| one["id"] == 2).unwrap();
    assert_eq!(listed["result"]["isError"], false);
    assert_eq!(listed["result"]["structuredContent"]["plans"], json!([]));
    let mut ids: Vec<u64> = answers
        .iter()
        .filter_map(|one| one["id"].as_u64())
        .collect();
    let all = ids.len();
    assert!(all > count / 2, "{all} answers");
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all, "answered twice");
    let broken = answers.iter().find(|one| one["error"]["code"] == -32603);
    assert_eq!(broken, None);
}
