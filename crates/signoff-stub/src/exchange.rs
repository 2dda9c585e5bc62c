//! One connection: reads its requests and answers each as the script says.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::{Value, json};

use crate::delivery::Delivery;
use crate::http::{self, ReadError, Request, Response};
use crate::model::Model;
use crate::recording;
use crate::wire::Wire;

/// What becomes of the connection after an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Connection {
    KeepAlive,
    Close,
}

/// Serves a connection until either side ends it.
pub(crate) fn serve(model: &Model, stream: &TcpStream) -> io::Result<()> {
    // Small events must not wait for each other.
    stream.set_nodelay(true)?;
    let mut client = Client {
        reader: BufReader::new(stream),
        writer: BufWriter::new(stream),
    };
    loop {
        match http::read_request(&mut client.reader, client.writer.get_mut()) {
            Ok(request) => {
                if answer(model, &request, &mut client)? == Connection::Close {
                    return client.writer.flush();
                }
            }
            Err(ReadError::Closed) => return Ok(()),
            Err(ReadError::Refused(code, why)) => {
                let body = format!("{}\n", json!({"error": {"message": why}}));
                Response::refusal(code).send(&mut client.writer, body.as_bytes())?;
                return client.leave();
            }
        }
    }
}

/// The other end of a connection.
pub(crate) struct Client<'s> {
    reader: BufReader<&'s TcpStream>,
    pub(crate) writer: BufWriter<&'s TcpStream>,
}

impl Client<'_> {
    /// Waits until the client leaves or the stub closes the connection.
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        loop {
            let arrived = self.reader.fill_buf()?.len();
            if arrived == 0 {
                return Ok(());
            }
            self.reader.consume(arrived);
        }
    }

    /// Ends a connection whose client may still be sending: closed at once, it would lose our answer.
    fn leave(&mut self) -> io::Result<()> {
        const PATIENCE: u64 = 256 << 20;
        self.writer.get_ref().shutdown(Shutdown::Write)?;
        io::copy(&mut self.reader.by_ref().take(PATIENCE), &mut io::sink())?;
        Ok(())
    }
}

fn answer(model: &Model, request: &Request, client: &mut Client<'_>) -> io::Result<Connection> {
    let body: Value = serde_json::from_slice(&request.body).unwrap_or(Value::Null);
    let wire = Wire::of(&request.path).filter(|_| request.method == "POST");
    let conversation = wire.map(|wire| (wire, wire.conversation(&request.path, &body)));
    let seen = conversation.as_ref().map(|(wire, talk)| (*wire, talk));
    let is_json = !body.is_null();
    let replies = model.replies(&body);
    model.record(recording::received(request, body, seen));
    if let Some(login) = &model.login {
        if request.method == "POST" && request.path.ends_with("/token") {
            return match login.refresh(&request.body) {
                Some(tokens) => document(200, request, client, &tokens),
                None => document(400, request, client, &json!({"error": "invalid_grant"})),
            };
        }
        if wire.is_some() && !login.accepts(request) {
            return fail(wire, 401, "the access token is not valid", request, client);
        }
    }
    match &conversation {
        Some((wire, _)) if !is_json => {
            fail(Some(*wire), 400, "the body is not JSON", request, client)
        }
        Some((wire, conversation)) => {
            let delivery = Delivery {
                wire: *wire,
                conversation,
                request,
                replies,
            };
            delivery.send(model, client)
        }
        None => serve_page(request, client),
    }
}

/// Requests that ask for no answer of the model.
fn serve_page(request: &Request, client: &mut Client<'_>) -> io::Result<Connection> {
    let path = request.path.as_str();
    let page = match request.method.as_str() {
        "GET" | "HEAD" if path == "/" => json!({"stub": true}),
        "GET" | "HEAD" if path.contains("/v1beta/models") => {
            json!({"models": [{"name": "models/stub-model", "displayName": "Stub"}]})
        }
        "GET" | "HEAD" if path.ends_with("/models") => json!({
            "object": "list",
            "data": [{"id": "stub-model", "object": "model", "type": "model", "created": 0, "owned_by": "stub"}],
            "has_more": false,
            // Codex asks for a list of its own.
            "models": [],
        }),
        "POST" if path.ends_with("/messages/count_tokens") => json!({"input_tokens": 1000}),
        "POST" if path.ends_with(":countTokens") => json!({"totalTokens": 1000}),
        _ => return fail(None, 404, "nothing is here", request, client),
    };
    document(200, request, client, &page)
}

fn fail(
    wire: Option<Wire>,
    code: u16,
    message: &str,
    request: &Request,
    client: &mut Client<'_>,
) -> io::Result<Connection> {
    let body = match wire {
        Some(wire) => wire.error(code, message),
        None => json!({"error": {"code": code, "message": message}}),
    };
    document(code, request, client, &body)
}

fn document(
    code: u16,
    request: &Request,
    client: &mut Client<'_>,
    body: &Value,
) -> io::Result<Connection> {
    Response::new(code, request)
        .header("content-type", "application/json")
        .send(&mut client.writer, body.to_string().as_bytes())?;
    Ok(connection_after(request))
}

/// Whether the client wants to send another request.
pub(crate) fn connection_after(request: &Request) -> Connection {
    if request.keep_alive {
        Connection::KeepAlive
    } else {
        Connection::Close
    }
}
