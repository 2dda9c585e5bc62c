//! Replies that are broken on purpose.

use std::io::{Read, Write};
use std::net::TcpStream;

use signoff_stub::{Reply, Script, Stub};

use crate::client::{anthropic, chat, gemini, post, responses};

fn start(reply: Reply) -> Stub {
    Stub::start(Script::new([reply])).expect("a stub")
}

#[test]
fn a_status_is_in_the_words_of_the_vendor() {
    let stub = start(Reply::Status {
        code: 429,
        retry_after: None,
    });
    let check = |path, request, pointer, expected| {
        let answer = post(&stub, path, &request);
        assert_eq!(answer.code, 429);
        let body = answer.json();
        assert_eq!(body.pointer(pointer).expect("a name"), expected, "{body}");
    };
    check(
        "/v1/messages",
        anthropic(true, 0),
        "/error/type",
        "rate_limit_error",
    );
    check(
        "/v1/responses",
        responses(true, 0),
        "/error/code",
        "rate_limit_exceeded",
    );
    check(
        "/v1/chat/completions",
        chat(true, 0),
        "/error/code",
        "rate_limit_exceeded",
    );
    check(
        "/v1beta/models/m:generateContent",
        gemini(0),
        "/error/status",
        "RESOURCE_EXHAUSTED",
    );
}

#[test]
fn garbage_is_whole_but_means_nothing() {
    let stub = start(Reply::Garbage);
    let answer = post(&stub, "/v1/chat/completions", &chat(true, 0));
    assert_eq!(answer.code, 200);
    assert!(answer.head.contains("text/event-stream"));
    assert!(answer.events().iter().all(|event| !event.is_object()));
}

#[test]
fn half_a_stream_breaks_off() {
    let stub = start(Reply::HalfStream);
    let streamed = post(&stub, "/v1/messages", &anthropic(true, 0));
    assert!(!streamed.complete);
    assert!(streamed.body.contains("message_start"));
    assert!(!streamed.body.contains("message_stop"));
    let whole = post(&stub, "/v1/messages", &anthropic(false, 0));
    assert!(!whole.complete && !whole.body.is_empty());
}

#[test]
fn a_flood_is_as_long_as_asked() {
    let stub = start(Reply::Flood { bytes: 3_000_000 });
    let answer = post(&stub, "/v1/messages", &anthropic(true, 0));
    assert!(answer.complete);
    let texts = answer.events();
    let length: usize = texts
        .iter()
        .filter_map(|event| event["delta"]["text"].as_str())
        .map(str::len)
        .sum();
    assert_eq!(length, 3_000_000);
    // Small for one line of an agent's output.
    assert!(texts.len() > 100, "{}", texts.len());
}

#[test]
fn a_busy_server_may_say_until_when() {
    let date = "Fri, 31 Dec 1999 23:59:59 GMT".to_owned();
    let stub = start(Reply::BusyUntil {
        code: 503,
        date: date.clone(),
    });
    let answer = post(&stub, "/v1/messages", &anthropic(true, 0));
    assert_eq!(answer.code, 503);
    let header = format!("retry-after: {date}");
    assert!(answer.head.contains(&header), "{}", answer.head);
}

#[test]
fn an_endless_answer_ends_when_the_client_leaves() {
    let stub = start(Reply::Endless);
    let mut stream = TcpStream::connect(stub.address()).expect("a connection");
    let body = anthropic(true, 0).to_string();
    let length = body.len();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .expect("it is sent");
    let mut much = vec![0; 1 << 20];
    stream
        .read_exact(&mut much)
        .expect("more than anybody reads");
    drop(stream);
    // It serves others all the same, and can end.
    drop(stub);
}

#[test]
fn a_hanging_answer_ends_with_the_stub() {
    let stub = start(Reply::Hang);
    let mut stream = TcpStream::connect(stub.address()).expect("a connection");
    let body = anthropic(true, 0).to_string();
    let length = body.len();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .expect("it is sent");
    let mut head = [0; 15];
    stream.read_exact(&mut head).expect("a head");
    assert_eq!(&head, b"HTTP/1.1 200 OK");
    drop(stub);
    let mut rest = String::new();
    stream.read_to_string(&mut rest).expect("an end");
    assert!(rest.ends_with("\r\n\r\n"), "{rest}");
}
