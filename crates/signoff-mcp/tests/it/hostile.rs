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
