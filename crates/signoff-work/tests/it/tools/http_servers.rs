//! Tool servers over streamable HTTP: well-behaved ones of both generations, and hostile ones.

use std::io::Write;
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use signoff_work::mcp::{BearerToken, Server, ServerReach};
use signoff_work::tools::{CallEnd, StopFlag};

use crate::tools::bench::{Bench, call};
use crate::tools::http::{answer, request};

const TOKEN: &str = "tok-1234567890";

/// What a server was asked: the head of the request in small letters, and its message.
#[derive(Debug, Clone)]
struct Asked {
    head: String,
    message: Value,
}

impl Asked {
    fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }

    fn tool(&self) -> &str {
        self.message["params"]["name"].as_str().unwrap_or_default()
    }

    fn has(&self, header: &str) -> bool {
        self.head.contains(&format!("\r\n{header}"))
    }
}

/// A server that answers as it is told.
struct Remote {
    url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Remote {
    fn new(reply: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let asked: Arc<Mutex<Vec<Asked>>> = Arc::default();
        let (seen, reply) = (Arc::clone(&asked), Arc::new(reply));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let (seen, reply) = (Arc::clone(&seen), Arc::clone(&reply));
                thread::spawn(move || {
                    let text = request(&stream);
                    let (head, body) = text.split_once("\r\n\r\n").unwrap();
                    let asked = Asked {
                        head: head.to_lowercase(),
                        message: serde_json::from_str(body).unwrap_or_default(),
                    };
                    seen.lock().unwrap().push(asked.clone());
                    stream.write_all(&reply(&asked)).ok();
                });
            }
        });
        Self { url, asked }
    }

    fn bench(&self, token: Option<&str>) -> Bench {
        let token = token.map(|value| BearerToken {
            variable: "TOY_TOKEN".to_owned(),
            value: Some(value.to_owned()).filter(|value| !value.is_empty()),
        });
        bench(&self.url, token)
    }

    fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

fn bench(url: &str, token: Option<BearerToken>) -> Bench {
    let server = Server {
        name: "toy".to_owned(),
        reach: ServerReach::Http {
            url: url.to_owned(),
            token,
        },
        read_only: Vec::new(),
        repeatable: Vec::new(),
        timeout: None,
        recorded: None,
    };
    Bench::with_servers(&[], vec![server])
}

fn json_answer(body: &Value) -> Vec<u8> {
    let body = body.to_string();
    answer("200 OK", "content-type: application/json\r\n", &body).into_bytes()
}

fn status(status: &str, body: &str) -> Vec<u8> {
    answer(status, "", body).into_bytes()
}

fn result(asked: &Asked, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": asked.message["id"], "result": result})
}

fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}]})
}

fn tools(asked: &Asked) -> Vec<u8> {
    let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
    let tools: Vec<Value> = ["echo", "bad"].map(tool).to_vec();
    json_answer(&result(asked, json!({"tools": tools})))
}

/// Greets, lists its tools, and leaves calls to another.
fn polite(
    calls: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static,
) -> impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static {
    move |asked| match asked.method() {
        "initialize" => {
            let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "toy"}});
            let body = result(asked, hello).to_string();
            let headers = "content-type: application/json\r\nmcp-session-id: s-1\r\n";
            answer("200 OK", headers, &body).into_bytes()
        }
        "tools/list" => tools(asked),
        "tools/call" => calls(asked),
        _ => status("202 Accepted", ""),
    }
}

#[test]
fn a_session_a_version_and_a_token_go_with_every_request() {
    let remote = Remote::new(polite(|asked| {
        json_answer(&result(asked, text(&format!("you are {TOKEN}"))))
    }));
    let bench = remote.bench(Some(TOKEN));
    assert_eq!(bench.done("toy.echo", json!({})), "you are ***");
    assert_eq!(bench.done("toy.echo", json!({})), "you are ***");
    drop(bench);
    let asked = remote.asked();
    let methods: Vec<_> = asked.iter().map(Asked::method).collect();
    let greeting = ["initialize", "notifications/initialized", "tools/list"];
    assert_eq!(
        methods,
        [&greeting[..], &["tools/call", "tools/call", ""]].concat()
    );
    assert!(
        asked
            .iter()
            .all(|one| one.has(&format!("authorization: bearer {TOKEN}")))
    );
    assert!(!asked[0].has("mcp-session-id") && !asked[0].has("mcp-protocol-version"));
    for one in &asked[1..] {
        assert!(one.has("mcp-session-id: s-1"), "{one:?}");
        assert!(one.has("mcp-protocol-version: 2025-06-18"), "{one:?}");
    }
    assert!(asked[5].head.starts_with("delete "), "the session is ended");
}

#[test]
fn an_answer_may_come_in_a_stream_of_events() {
    let remote = Remote::new(polite(|asked| {
        let note = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}});
        let ping = json!({"jsonrpc": "2.0", "id": "p", "method": "ping"});
        let end = result(asked, text("streamed"));
        let stream = format!(
            ": hello\n\nid: 1\ndata: {note}\n\ndata: {ping}\n\nevent: message\ndata: {end}\n\n"
        );
        answer(
            "200 OK",
            "content-type: text/event-stream; charset=utf-8\r\n",
            &stream,
        )
        .into_bytes()
    }));
    let bench = remote.bench(None);
    assert_eq!(bench.done("toy.echo", json!({})), "streamed");
    let pong = |one: &Asked| one.message == json!({"jsonrpc": "2.0", "id": "p", "result": {}});
    let limit = std::time::Instant::now() + Duration::from_mins(1);
    while !remote.asked().iter().any(pong) {
        assert!(
            std::time::Instant::now() < limit,
            "its ping is not answered"
        );
        thread::yield_now();
    }
}

#[test]
fn a_server_without_a_handshake_is_asked_in_its_own_way() {
    let remote = Remote::new(|asked| match asked.method() {
        "initialize" => {
            let error = json!({"code": -32601, "message": "no such method"});
            let body = json!({"jsonrpc": "2.0", "id": asked.message["id"], "error": error});
            answer(
                "404 Not Found",
                "content-type: application/json\r\n",
                &body.to_string(),
            )
            .into_bytes()
        }
        "tools/list" => tools(asked),
        _ => json_answer(&result(asked, text("newer"))),
    });
    let bench = remote.bench(None);
    assert_eq!(bench.done("toy.echo", json!({})), "newer");
    let asked = remote.asked();
    let call = asked.last().unwrap();
    assert!(call.has("mcp-protocol-version: 2026-07-28") && call.has("mcp-method: tools/call"));
    assert!(call.has("mcp-name: echo") && !call.has("mcp-session-id"));
    let version = &call.message["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"];
    assert_eq!(version, "2026-07-28");
}

#[test]
fn a_session_that_was_forgotten_is_begun_anew_and_the_call_made_once() {
    let calls = Mutex::new(0);
    let remote = Remote::new(polite(move |asked| {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        match *calls {
            1 => status("404 Not Found", ""),
            _ => json_answer(&result(asked, text("again"))),
        }
    }));
    let bench = remote.bench(None);
    assert_eq!(bench.done("toy.echo", json!({})), "again");
    let greetings = remote.asked();
    let greetings = greetings.iter().filter(|one| one.method() == "initialize");
    assert_eq!(greetings.count(), 2);
}

/// Calls `toy.bad`, which a hostile server answers with this.
#[track_caller]
fn hostile(reply: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> (CallEnd, Remote) {
    let remote = Remote::new(polite(move |asked| match asked.tool() {
        "echo" => json_answer(&result(asked, text("fine"))),
        _ => reply(asked),
    }));
    let bench = remote.bench(Some(TOKEN));
    let end = bench.end("toy.bad", json!({}));
    assert_eq!(bench.done("toy.echo", json!({})), "fine", "it goes on");
    (end, remote)
}

#[track_caller]
fn check(reply: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static, unknown: bool, why: &str) {
    match hostile(reply).0 {
        CallEnd::Failed {
            message,
            unknown: is_unknown,
            ..
        } => {
            assert!(message.contains(why), "{message}");
            assert!(!message.contains(TOKEN), "{message}");
            assert_eq!(is_unknown, unknown, "{message}");
        }
        other => panic!("{why}: {other:?}"),
    }
}

#[test]
fn what_a_hostile_server_answers_is_a_failure_and_no_more() {
    let html = |body: &str| answer("200 OK", "content-type: text/html\r\n", body).into_bytes();
    check(move |_| html("<p>hello"), true, "without a result");
    check(
        |_| json_answer(&json!({"id": 999, "result": {}})),
        true,
        "without a result",
    );
    check(|_| status("202 Accepted", ""), true, "without a result");
    check(
        |_| status("401 Unauthorized", TOKEN),
        false,
        "the token in `TOY_TOKEN` does not do",
    );
    check(|_| status("500 Oops", TOKEN), true, "status 500");
    check(|_| status("429 Too Many", "slow down"), false, "slow down");
    check(
        |_| b"HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{".to_vec(),
        true,
        "lost",
    );
    check(|_| b"garbage\r\n\r\n".to_vec(), false, "cannot request");
    check(|_| Vec::new(), true, "lost");
    let error = json!({"error": {"code": 1, "message": format!("no, {TOKEN}")}});
    check(
        move |asked| {
            let mut error = error.clone();
            error["id"] = asked.message["id"].clone();
            json_answer(&error)
        },
        false,
        "refused: no, ***",
    );
}

#[test]
fn what_never_ends_is_cut_off() {
    let huge = |_: &Asked| {
        let mut answer =
            b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n\""
                .to_vec();
        answer.resize(17 << 20, b'x');
        answer
    };
    check(huge, false, "larger than 16 MiB");
    let endless = |_: &Asked| {
        let mut answer =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n"
                .to_vec();
        while answer.len() < 17 << 20 {
            answer.extend_from_slice(b"data: {\"method\":\"notifications/progress\"}\n\n");
        }
        answer
    };
    check(endless, false, "larger than 16 MiB");
}

#[test]
fn a_redirect_is_not_followed_and_nobody_else_gets_the_token() {
    let other = Remote::new(|asked| json_answer(&result(asked, text("stolen"))));
    let url = other.url.clone();
    check(
        move |_| {
            answer(
                "307 Temporary Redirect",
                &format!("location: {url}\r\n"),
                "",
            )
            .into_bytes()
        },
        false,
        "redirects, which is not followed",
    );
    assert_eq!(other.asked().len(), 0);
}

#[test]
fn a_stop_and_a_timeout_do_not_wait_for_the_server() {
    let remote = Remote::new(polite(|_| {
        thread::park_timeout(Duration::from_mins(5));
        Vec::new()
    }));
    let bench = remote.bench(None);
    let mut slow = call("toy.bad", json!({}));
    slow.timeout = Duration::from_millis(300);
    let end = bench.tools.call(&slow, &StopFlag::new());
    assert!(
        matches!(end, CallEnd::Failed { unknown: true, .. }),
        "{end:?}"
    );
    let stop = StopFlag::new();
    let calls = || {
        let asked = remote.asked();
        asked.iter().filter(|one| one.tool() == "bad").count()
    };
    // The first may have been given up before it was sent.
    let before = calls();
    thread::scope(|scope| {
        let calling = scope.spawn(|| bench.tools.call(&call("toy.bad", json!({})), &stop));
        while calls() == before {
            thread::yield_now();
        }
        stop.set();
        assert_eq!(calling.join().unwrap(), CallEnd::Stopped);
    });
}

#[test]
fn nothing_is_sent_without_the_token_nor_in_the_open() {
    let remote = Remote::new(polite(|asked| json_answer(&result(asked, text("fine")))));
    let missing = remote.bench(Some("")).fails("toy.echo", json!({}));
    assert_eq!(
        missing,
        "server `toy` is not asked: `TOY_TOKEN`, which has its token, is not set"
    );
    let unfit = remote
        .bench(Some("a\nb-12345678"))
        .fails("toy.echo", json!({}));
    assert_eq!(
        unfit,
        "server `toy` is not asked: the value of `TOY_TOKEN` cannot be sent"
    );
    assert_eq!(remote.asked().len(), 0);
    let open = bench("http://tools.example/mcp", None).fails("toy.echo", json!({}));
    assert!(open.contains("without encryption"), "{open}");
}
