//! Requests, to servers of our own.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};
use signoff_work::tools::{CallEnd, StopFlag};

use crate::tools::bench::{Bench, call};

/// Answers one connection after the other with what is given, and tells what it was asked.
fn serve(answers: Vec<String>) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    thread::spawn(move || {
        for answer in answers {
            let (mut stream, _) = listener.accept().unwrap();
            sender.send(request(&stream)).ok();
            stream.write_all(answer.as_bytes()).ok();
        }
    });
    (address, receiver)
}

pub(crate) fn request(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        reader.read_line(&mut head).unwrap();
    }
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        let named = name.eq_ignore_ascii_case("content-length");
        named.then(|| value.parse::<usize>().unwrap())
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    head + &String::from_utf8(body).unwrap()
}

pub(crate) fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\n{headers}content-length: {length}\r\nconnection: close\r\n\r\n{body}"
    )
}

fn get(url: &str) -> Value {
    json!({ "url": url })
}

/// The directory of a run is made for the first call that works in it.
#[test]
fn a_request_needs_no_workspace() {
    let bench = Bench::new(&[]);
    let (url, _asked) = serve(vec![answer("200 OK", "", "here")]);
    std::fs::remove_dir_all(bench.root()).unwrap();
    match bench.end("http_request", get(&url)) {
        CallEnd::Done(value) => assert_eq!(value["body"], "here"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_has_status_headers_and_body() {
    let bench = Bench::new(&[]);
    let headers = "content-type: application/json; charset=utf-8\r\nx-twice: a\r\nX-Twice: b\r\n";
    let (url, asked) = serve(vec![answer("201 Created", headers, r#"{"id": 7}"#)]);
    let args = json!({
        "url": format!("{url}/items?x=1"), "method": "POST", "body": "new",
        "headers": {"Authorization": "Bearer key"},
    });
    let result = bench.done("http_request", args);
    assert_eq!(result["status"], 201);
    assert_eq!(result["headers"]["x-twice"], "a, b");
    assert_eq!(result["body"], r#"{"id": 7}"#);
    assert_eq!(result["json"], json!({"id": 7}));
    let asked = asked.recv().unwrap();
    assert!(asked.starts_with("POST /items?x=1 HTTP/1.1\r\n"), "{asked}");
    assert!(
        asked
            .to_lowercase()
            .contains("authorization: bearer key\r\n"),
        "{asked}"
    );
    assert!(asked.ends_with("\r\n\r\nnew"), "{asked}");
}

#[test]
fn a_bad_status_is_a_failure_unless_it_is_wanted() {
    let bench = Bench::new(&[]);
    for (status, transient) in [
        ("404 Not Found", false),
        ("429 Too Many Requests", true),
        ("500 Internal Server Error", true),
        ("503 Service Unavailable", true),
    ] {
        // A page is quoted on one line.
        let (url, _asked) = serve(vec![answer(status, "", "\n<p>\n  sorry\n</p>\n")]);
        let end = bench.end("http_request", get(&url));
        let message = format!("`{url}/` answered with status {status}: <p> sorry </p>");
        assert_eq!(
            end,
            CallEnd::Failed {
                message,
                transient,
                unknown: false
            }
        );
        let (url, _asked) = serve(vec![answer(status, "", "sorry")]);
        let result = bench.done("http_request", json!({"url": url, "any_status": true}));
        assert_eq!(result["body"], "sorry");
    }
}

#[test]
fn a_connection_that_fails_may_succeed_later() {
    let bench = Bench::new(&[]);
    // No port that a system gives away is as low, so nobody listens there.
    let url = "http://127.0.0.1:1/";
    let refused = bench.fails_for_now("http_request", get(url));
    assert!(
        refused.starts_with(&format!("cannot reach `{url}`: ")),
        "{refused}"
    );
    let (url, _asked) = serve(vec![
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf".to_owned(),
    ]);
    bench.fails_for_now("http_request", get(&url));
    // Accepts, and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let slow = json!({"url": url, "timeout_seconds": 1});
    assert_eq!(
        bench.fails_for_now("http_request", slow),
        "it took longer than 1s"
    );
}

#[test]
fn a_stop_does_not_wait_for_a_server() {
    let bench = Bench::new(&[]);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", silent.local_addr().unwrap());
    let stop = StopFlag::new();
    let asking = call("http_request", get(&url));
    thread::scope(|scope| {
        let calling = scope.spawn(|| bench.tools.call(&asking, &stop));
        let (stream, _) = silent.accept().unwrap();
        request(&stream);
        stop.set();
        assert_eq!(calling.join().unwrap(), CallEnd::Stopped);
    });
}

#[test]
fn redirects_do_not_carry_keys_elsewhere() {
    let bench = Bench::new(&[]);
    let (other, asked_other) = serve(vec![answer("200 OK", "", "here")]);
    let hop = |to: &str| answer("302 Found", &format!("location: {to}\r\n"), "");
    let (first, asked_first) = serve(vec![hop("/next"), hop(&format!("{other}/end"))]);
    let headers =
        json!({"Authorization": "Bearer key", "X-Api-Key": "key", "Accept": "text/plain"});
    let result = bench.done("http_request", json!({"url": first, "headers": headers}));
    assert_eq!(result["body"], "here");
    for path in ["/", "/next"] {
        let asked = asked_first.recv().unwrap();
        assert!(asked.starts_with(&format!("GET {path} ")), "{asked}");
        assert!(asked.contains("key"), "{asked}");
    }
    let asked = asked_other.recv().unwrap();
    assert!(asked.starts_with("GET /end "), "{asked}");
    assert!(
        !asked.contains("key") && asked.contains("text/plain"),
        "{asked}"
    );
}

#[test]
fn redirects_end() {
    let bench = Bench::new(&[]);
    let hop = answer("302 Found", "location: /again\r\n", "");
    let (url, _asked) = serve(vec![hop.clone(); 10]);
    assert_eq!(
        bench.fails("http_request", get(&url)),
        format!("`{url}` redirects more than 5 times")
    );
    // What changes something is not sent elsewhere by itself.
    let (url, _asked) = serve(vec![hop]);
    let sent = bench.done(
        "http_request",
        json!({"url": url, "method": "POST", "body": "x"}),
    );
    assert_eq!(
        (&sent["status"], &sent["headers"]["location"]),
        (&json!(302), &json!("/again"))
    );
}

#[test]
fn an_answer_has_a_limit() {
    let bench = Bench::new(&[]);
    let (url, _asked) = serve(vec![answer(
        "200 OK",
        "",
        &"x".repeat(16 * 1024 * 1024 + 1),
    )]);
    assert_eq!(
        bench.fails("http_request", get(&url)),
        format!("the answer of `{url}/` is larger than 16 MiB")
    );
}

#[test]
fn only_whole_addresses_are_asked() {
    let bench = Bench::new(&[]);
    let scheme = "it must begin with `https://` or `http://`";
    for (url, why) in [
        ("file:///etc/passwd", scheme),
        ("a.example/x", scheme),
        ("/x", scheme),
        ("http:///x", "invalid format"),
    ] {
        let expected = format!("`{url}` is not an address: {why}");
        assert_eq!(bench.fails("http_request", get(url)), expected);
    }
    let said = bench.fails(
        "http_request",
        json!({"url": "http://a", "headers": {"a b": "c"}}),
    );
    assert!(said.starts_with("the request cannot be sent: "), "{said}");
}

#[test]
fn a_server_without_tls_gets_nothing_where_tls_is_asked_for() {
    let bench = Bench::new(&[]);
    let (url, _asked) = serve_garbage();
    let said = bench.end("http_request", get(&url));
    assert!(matches!(said, CallEnd::Failed { .. }), "{said:?}");
}

/// Speaks no TLS where TLS is expected.
fn serve_garbage() -> (String, thread::JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("https://{}/", listener.local_addr().unwrap());
    let serving = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok();
    });
    (url, serving)
}
