//! Messages on the wire: JSON-RPC 2.0; to and from a process one message a line.

use std::io::{BufRead, BufReader, Read};

use serde_json::{Value, json};

/// Bytes of a message; a longer one is not an answer to a question of ours.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The code that says that a method is not known.
const UNKNOWN_METHOD: i64 = -32601;

/// What a server sends.
#[derive(Debug, PartialEq)]
pub(super) enum ServerMessage {
    /// The answer to the request of this number.
    Answer {
        id: u64,
        answer: Result<Value, RpcError>,
    },
    /// A request of its own, and what to answer.
    Request { reply: Value },
    /// Anything that needs no answer.
    Nothing,
}

/// An error that a server answers with.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RpcError {
    pub(super) message: String,
}

pub(super) fn notification(method: &str, params: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// What a server is told that has not answered in time.
pub(super) fn cancel_notification(id: u64) -> Value {
    let params = json!({"requestId": id, "reason": "the caller gave up"});
    notification("notifications/cancelled", &params)
}

pub(super) fn message_line(message: &Value) -> Vec<u8> {
    // Written without line breaks: those in texts are escaped.
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Parses a line. A line that is not a message is skipped: some servers print to stdout.
pub(super) fn incoming(line: &[u8]) -> Vec<ServerMessage> {
    match serde_json::from_slice(line) {
        // Several at once, as an older version of the protocol has it.
        Ok(Value::Array(messages)) => messages.iter().map(message).collect(),
        Ok(one) => vec![message(&one)],
        Err(_) => Vec::new(),
    }
}

fn message(message: &Value) -> ServerMessage {
    let id = message.get("id").filter(|id| !id.is_null());
    match (message.get("method").and_then(Value::as_str), id) {
        (Some("ping"), Some(id)) => ServerMessage::Request {
            reply: json!({"jsonrpc": "2.0", "id": id, "result": {}}),
        },
        (Some(method), Some(id)) => {
            let why = format!("`{method}` is nothing that this client offers");
            let error = json!({"code": UNKNOWN_METHOD, "message": why});
            ServerMessage::Request {
                reply: json!({"jsonrpc": "2.0", "id": id, "error": error}),
            }
        }
        (None, Some(id)) => match (id.as_u64(), message.get("error"), message.get("result")) {
            (Some(id), Some(error), _) => {
                let said = error.get("message").and_then(Value::as_str);
                let message = said.map_or_else(|| error.to_string(), str::to_owned);
                let answer = Err(RpcError { message });
                ServerMessage::Answer { id, answer }
            }
            (Some(id), None, Some(result)) => ServerMessage::Answer {
                id,
                answer: Ok(result.clone()),
            },
            (None, _, _) | (_, None, None) => ServerMessage::Nothing,
        },
        (_, None) => ServerMessage::Nothing,
    }
}

/// Why no more lines come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamEnd {
    Ended,
    TooLong,
}

/// Passes every line on until the stream ends.
pub(super) fn read_lines(from: impl Read, mut each: impl FnMut(&[u8])) -> StreamEnd {
    let mut reader = BufReader::new(from);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(LONGEST).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return StreamEnd::Ended,
            Ok(_) if line.ends_with(b"\n") => each(&line),
            Ok(count) if count as u64 == LONGEST => return StreamEnd::TooLong,
            // The last one may lack its end.
            Ok(_) => each(&line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_understood_or_passed_over() {
        let check = |line: &str, expected: &[ServerMessage]| {
            assert_eq!(incoming(line.as_bytes()), expected, "{line}");
        };
        check("", &[]);
        check("Server listening on stdio", &[]);
        check(
            r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#,
            &[ServerMessage::Nothing],
        );
        let answer = |id, answer| ServerMessage::Answer { id, answer };
        check(
            r#"{"id":1,"result":{"a":1}}"#,
            &[answer(1, Ok(json!({"a": 1})))],
        );
        let refusal = |message: &str| {
            Err(RpcError {
                message: message.to_owned(),
            })
        };
        check(
            r#"[{"id":1,"error":{"code":-1,"message":"no"}},{"id":2,"error":7}]"#,
            &[answer(1, refusal("no")), answer(2, refusal("7"))],
        );
        check(r#"{"id":"x","result":1}"#, &[ServerMessage::Nothing]);
        check(r#"{"id":3}"#, &[ServerMessage::Nothing]);
        check("3", &[ServerMessage::Nothing]);
    }

    #[test]
    fn requests_of_a_server_are_answered() {
        let reply = |line: &str| match incoming(line.as_bytes()).remove(0) {
            ServerMessage::Request { reply } => reply,
            other => panic!("{other:?}"),
        };
        let pong = reply(r#"{"jsonrpc":"2.0","id":"p1","method":"ping"}"#);
        assert_eq!(pong, json!({"jsonrpc": "2.0", "id": "p1", "result": {}}));
        let refused = reply(r#"{"jsonrpc":"2.0","id":4,"method":"sampling/createMessage"}"#);
        assert_eq!(refused["error"]["code"], -32601);
        assert_eq!(refused["id"], 4);
    }

    #[test]
    fn a_message_is_one_line() {
        let written = message_line(&notification("x", &json!({"text": "a\nb\u{2028}"})));
        let text = String::from_utf8(written).unwrap();
        assert_eq!(text.lines().count(), 1);
        assert!(text.ends_with("}\n"));
    }

    #[test]
    fn an_endless_line_is_not_read_to_its_end() {
        let mut seen = 0;
        let over = read_lines(&b"a\nb"[..], |_| seen += 1);
        assert_eq!((over, seen), (StreamEnd::Ended, 2));
        let over = read_lines(std::io::repeat(b'x'), |_| seen += 1);
        assert_eq!((over, seen), (StreamEnd::TooLong, 2));
    }
}
