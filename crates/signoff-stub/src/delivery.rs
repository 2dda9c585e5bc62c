//! Sends a reply of the script, as it should be or broken in the way that the script says.

use std::io;

use serde_json::Value;

use crate::conversation::Conversation;
use crate::exchange::{Client, Connection, connection_after};
use crate::http::{Request, Response};
use crate::model::{Model, PricedReply, Replies};
use crate::script::Reply;
use crate::wire::Wire;

/// Neither JSON nor events nor text.
const GARBAGE: &[u8] = b"data: {\"type\": <html>\x00\x01\xff\xfe what?\n\n]]}\n\ndata: 17\n\n";

/// A request for an answer, ready to be answered.
pub(crate) struct Delivery<'r> {
    pub(crate) wire: Wire,
    pub(crate) conversation: &'r Conversation,
    pub(crate) request: &'r Request,
    pub(crate) replies: &'r Replies,
}

/// How an answer is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Layout {
    Document,
    /// Server-sent events.
    Events,
    /// The events as one JSON list: Gemini's stream where the client does not ask for server-sent events.
    List,
}

impl Delivery<'_> {
    pub(crate) fn send(&self, model: &Model, client: &mut Client<'_>) -> io::Result<Connection> {
        let priced = self.replies.reply(self.conversation);
        match &priced.reply {
            Reply::Status { code, retry_after } => {
                let retry_after = retry_after.map(|seconds| seconds.to_string());
                self.send_status(*code, retry_after, client)
            }
            Reply::BusyUntil { code, date } => self.send_status(*code, Some(date.clone()), client),
            Reply::Garbage => {
                self.head().send(&mut client.writer, GARBAGE)?;
                Ok(connection_after(self.request))
            }
            Reply::Hang => {
                // Held until the client leaves: finishing it would end the answer.
                let _unfinished = self.head().begin(&mut client.writer)?;
                client.wait()?;
                Ok(Connection::Close)
            }
            Reply::Endless => self.send_without_end(client),
            Reply::HalfStream => self.send_half(model, &priced, client),
            Reply::Shell { .. }
            | Reply::Write { .. }
            | Reply::Tool { .. }
            | Reply::Todo { .. }
            | Reply::Text(_)
            | Reply::Flood { .. } => self.send_whole(model, &priced, client),
        }
    }

    fn layout(&self) -> Layout {
        if !self.conversation.stream {
            Layout::Document
        } else if self.wire == Wire::Gemini && !self.request.query.contains("alt=sse") {
            Layout::List
        } else {
            Layout::Events
        }
    }

    fn head(&self) -> Response {
        Response::new(200, self.request).header("content-type", self.head_kind())
    }

    fn head_kind(&self) -> &'static str {
        match self.layout() {
            Layout::Events if self.wire == Wire::Ollama => "application/x-ndjson",
            Layout::Events => "text/event-stream",
            Layout::Document | Layout::List => "application/json",
        }
    }

    fn send_status(
        &self,
        code: u16,
        retry_after: Option<String>,
        client: &mut Client<'_>,
    ) -> io::Result<Connection> {
        let body = self.wire.error(code, &format!("the script says {code}"));
        let mut response =
            Response::new(code, self.request).header("content-type", "application/json");
        if let Some(when) = retry_after {
            response = response.header("retry-after", when);
        }
        response.send(&mut client.writer, body.to_string().as_bytes())?;
        Ok(connection_after(self.request))
    }

    /// Ends when the client has left or the stub closes the connection.
    fn send_without_end(&self, client: &mut Client<'_>) -> io::Result<Connection> {
        let nothing = match self.head_kind() {
            "text/event-stream" => ": still here\n\n",
            _ => "\n",
        };
        let mut chunks = self.head().begin(&mut client.writer)?;
        while chunks.send(nothing).is_ok() {}
        Ok(Connection::Close)
    }

    fn send_whole(
        &self,
        model: &Model,
        priced: &PricedReply,
        client: &mut Client<'_>,
    ) -> io::Result<Connection> {
        if self.layout() != Layout::Events {
            let body = self.body(model, priced);
            self.head().send(&mut client.writer, body.as_bytes())?;
            return Ok(connection_after(self.request));
        }
        let answer = model.answer(priced, self.conversation);
        let mut chunks = self.head().begin(&mut client.writer)?;
        for event in self.wire.events(&answer) {
            chunks.send(&self.wire.event_text(&event))?;
        }
        chunks.send(self.wire.end_of_stream())?;
        chunks.finish()?;
        if self.request.understands_chunks {
            Ok(connection_after(self.request))
        } else {
            Ok(Connection::Close)
        }
    }

    /// Announces a whole answer and breaks off in the middle of it.
    fn send_half(
        &self,
        model: &Model,
        priced: &PricedReply,
        client: &mut Client<'_>,
    ) -> io::Result<Connection> {
        if self.layout() == Layout::Events {
            let events = self.wire.events(&model.answer(priced, self.conversation));
            let text: String = events
                .iter()
                .map(|event| self.wire.event_text(event))
                .collect();
            let mut chunks = self.head().begin(&mut client.writer)?;
            chunks.send(first_half(&text))?;
        } else {
            let body = self.body(model, priced);
            let half = body.len() / 2;
            self.head()
                .send_part(&mut client.writer, body.as_bytes(), half)?;
        }
        Ok(Connection::Close)
    }

    /// The answer where it is one JSON value.
    fn body(&self, model: &Model, priced: &PricedReply) -> String {
        let answer = model.answer(priced, self.conversation);
        match self.layout() {
            Layout::List => Value::Array(self.wire.events(&answer)).to_string(),
            Layout::Document | Layout::Events => self.wire.document(&answer).to_string(),
        }
    }
}

/// Ends in the middle of an event, and not in the middle of a character.
fn first_half(text: &str) -> &str {
    let mut end = text.len() / 2;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
