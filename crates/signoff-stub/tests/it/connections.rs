//! Connections: kept, malformed, left open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use serde_json::json;
use signoff_stub::{Reply, Script, Stub};

use crate::client::{anthropic, post, send};

fn start() -> Stub {
    Stub::start(Script::new([Reply::Text("Done.".to_owned())])).expect("a stub")
}

#[test]
fn a_connection_serves_many_requests() {
    let stub = start();
    let mut stream = TcpStream::connect(stub.address()).expect("a connection");
    let mut reader = BufReader::new(stream.try_clone().expect("a copy"));
    let body = anthropic(true, 0).to_string();
    for _ in 0..3 {
        // One chunk, as clients send that do not know the length.
        write!(
            stream,
            "POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n",
            body.len()
        )
        .expect("it is sent");
        let mut line = String::new();
        reader.read_line(&mut line).expect("a status");
        assert_eq!(line, "HTTP/1.1 200 OK\r\n");
        while line != "0\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).expect("a line") > 0);
        }
        reader.read_line(&mut line).expect("the end");
    }
    assert_eq!(stub.requests().len(), 3);
}

#[test]
fn an_old_client_gets_no_chunks() {
    let stub = start();
    let body = anthropic(true, 0).to_string();
    let length = body.len();
    let answer = send(
        &stub,
        &format!("POST /v1/messages HTTP/1.0\r\ncontent-length: {length}\r\n\r\n{body}"),
    );
    assert!(!answer.head.contains("chunked"));
    assert!(answer.body.starts_with("event: "), "{}", answer.body);
}

#[test]
fn malformed_requests_are_refused() {
    let stub = start();
    let code = |request: &str| send(&stub, request).code;
    assert_eq!(code("nonsense\r\n\r\n"), 400);
    assert_eq!(code("GET / HTTP/3\r\n\r\n"), 505);
    let head = "POST /v1/messages HTTP/1.1\r\nconnection: close\r\n";
    assert_eq!(code(&format!("{head}content-length: 1e9\r\n\r\n")), 400);
    assert_eq!(
        code(&format!("{head}content-length: 99999999999\r\n\r\n")),
        413
    );
    assert_eq!(code(&format!("{head}content-length: 3\r\n\r\n{{,}}")), 400);
    assert_eq!(
        code(&format!("{head}x: {}\r\n\r\n", "y".repeat(100_000))),
        431
    );
}

/// Bodies that are JSON, but nothing that an agent sends.
#[test]
fn strange_bodies_are_answered() {
    let stub = start();
    let strange = [
        json!([]),
        json!(1),
        json!({"messages": 1, "tools": "x", "input": {}, "contents": null}),
        json!({"messages": [1, null, {"role": 5, "content": 6}], "tools": [1, {"name": 7}]}),
        json!({"contents": [[]], "tools": [{"functionDeclarations": [{"name": "bash"}]}]}),
        json!({"tools": [{"name": "bash", "input_schema": {"properties": {"command": 1}, "required": 9}}]}),
    ];
    for body in &strange {
        for path in [
            "/v1/messages",
            "/v1/responses",
            "/v1/chat/completions",
            "/v1beta/models/:generateContent",
            "/:streamGenerateContent",
        ] {
            assert_eq!(post(&stub, path, body).code, 200, "{path} {body}");
        }
    }
}

#[test]
fn dropping_it_ends_clients_at_every_point() {
    let stub = start();
    let request = format!(
        "POST /v1/messages HTTP/1.1\r\ncontent-length: 5\r\n\r\n{}",
        "{}"
    );
    let clients: Vec<TcpStream> = (0..request.len())
        .map(|end| {
            let mut stream = TcpStream::connect(stub.address()).expect("a connection");
            stream
                .write_all(&request.as_bytes()[..end])
                .expect("it is sent");
            stream
        })
        .collect();
    let address = stub.address();
    drop(stub);
    for mut client in clients {
        let mut nothing = Vec::new();
        // Closed, whether or not it was served before.
        assert_eq!(client.read_to_end(&mut nothing).unwrap_or(0), 0);
    }
    assert!(
        TcpStream::connect(address).is_err(),
        "nobody listens any more"
    );
}

#[test]
fn a_client_that_does_not_read_delays_nothing() {
    let stub = Stub::start(Script::new([Reply::Flood { bytes: 20_000_000 }])).expect("a stub");
    let mut stream = TcpStream::connect(stub.address()).expect("a connection");
    let body = anthropic(true, 0).to_string();
    let length = body.len();
    write!(
        stream,
        "POST /v1/messages HTTP/1.1\r\ncontent-length: {length}\r\n\r\n{body}"
    )
    .expect("it is sent");
    stream.read_exact(&mut [0; 1]).expect("it has begun");
    drop(stub);
}
