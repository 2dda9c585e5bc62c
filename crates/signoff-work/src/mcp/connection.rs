//! The conversation with a server: the handshake of either generation, its tools, and calls of them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::definition::Definition;
use super::http_link::HttpLink;
use super::process_link::ProcessLink;
use super::request::{Outgoing, RequestError};
use super::wire;
use crate::call::{CallError, Limits};

/// The version of the protocol that we ask for; a server may answer with an older one.
const VERSION: &str = "2025-11-25";
/// The first version without a handshake, for servers that know no other.
pub(super) const STATELESS: &str = "2026-07-28";
/// Pages of tools; more, and the server is going in circles.
const MOST_PAGES: usize = 100;
/// How long a server that let a call time out may take to say that it is still there.
const PING: Duration = Duration::from_secs(5);

/// The way to a server.
#[derive(Debug)]
pub(super) enum Link {
    Process(ProcessLink),
    Http(HttpLink),
}

impl Link {
    fn is_open(&self) -> bool {
        match self {
            Self::Process(link) => link.is_open(),
            Self::Http(link) => link.is_open(),
        }
    }

    /// Nothing was heard of the server since a call timed out, and no call is under way.
    fn is_silent(&self) -> bool {
        match self {
            Self::Process(link) => link.is_silent(),
            // Every request over HTTP has a connection of its own.
            Self::Http(_) => false,
        }
    }

    fn hang_up(&self) {
        match self {
            Self::Process(link) => link.hang_up(),
            Self::Http(link) => link.hang_up(),
        }
    }

    fn notify(&self, message: &Value, until: Instant) {
        match self {
            Self::Process(link) => link.notify(message, until),
            Self::Http(link) => link.notify(message, until),
        }
    }

    /// Which version is spoken from here on: requests over HTTP say it in a header.
    fn agree_on(&self, version: &str) {
        match self {
            Self::Process(_) => {}
            Self::Http(link) => link.agree_on(version),
        }
    }

    fn request(&self, request: &Outgoing<'_>, limits: &Limits<'_>) -> Result<Value, RequestError> {
        match self {
            Self::Process(link) => link.request(request, limits),
            Self::Http(link) => link.request(request, limits),
        }
    }
}

/// A server that answers.
#[derive(Debug)]
pub(super) struct Connection {
    name: String,
    link: Link,
    next: AtomicU64,
    /// What every request says of itself, where there is no handshake.
    meta: Option<Value>,
    tools: Vec<Definition>,
}

impl Connection {
    /// Greets a server and asks what it offers.
    pub(super) fn open(name: &str, link: Link, limits: &Limits<'_>) -> Result<Self, CallError> {
        let mut connection = Self {
            name: name.to_owned(),
            link,
            next: AtomicU64::new(1),
            meta: None,
            tools: Vec::new(),
        };
        connection.initialize(limits)?;
        Ok(connection)
    }

    /// What it offers.
    pub(super) fn tools(&self) -> &[Definition] {
        &self.tools
    }

    /// Whether it can still be asked.
    pub(super) fn is_open(&self) -> bool {
        self.link.is_open()
    }

    /// Whether another call can reach it. A server that does one thing at a time may hang in a call that timed out; a call that
    /// is still under way is not cut off to find out.
    pub(super) fn is_responsive(&self, limits: &Limits<'_>) -> bool {
        if self.is_open() && self.link.is_silent() {
            // Most of the time is left for starting it again and for the call.
            let patience = limits.at_most(Some(PING.min(limits.time / 4)));
            // Any answer will do, also that it does not know what a ping is.
            self.request("ping", json!({}), &patience).ok();
            return !self.link.is_silent();
        }
        self.is_open()
    }

    /// Calls a tool; what comes back is the protocol's result, whatever it says.
    pub(super) fn call(
        &self,
        tool: &str,
        args: &Value,
        limits: &Limits<'_>,
    ) -> Result<Value, CallError> {
        let params = json!({"name": tool, "arguments": args});
        self.request("tools/call", params, limits)
            .map_err(|why| self.request_error(why))
    }

    /// Says that nothing more will be asked.
    pub(super) fn hang_up(&self) {
        self.link.hang_up();
    }

    fn initialize(&mut self, limits: &Limits<'_>) -> Result<(), CallError> {
        let who = json!({"name": "signoff", "version": env!("CARGO_PKG_VERSION")});
        let hello = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": who});
        match self.request("initialize", hello, limits) {
            Ok(greeting) => {
                let version = greeting.get("protocolVersion").and_then(Value::as_str);
                self.link.agree_on(version.unwrap_or(VERSION));
                let ready = wire::notification("notifications/initialized", &json!({}));
                self.link.notify(&ready, limits.deadline);
                self.tools = self.list(limits).map_err(|why| self.request_error(why))?;
                Ok(())
            }
            Err(RequestError::Refused(refusal)) => {
                self.meta = Some(json!({
                    "io.modelcontextprotocol/protocolVersion": STATELESS,
                    "io.modelcontextprotocol/clientCapabilities": {},
                    "io.modelcontextprotocol/clientInfo": who,
                }));
                self.link.agree_on(STATELESS);
                let listed = self.list(limits).map_err(|why| match why {
                    // Both ways were refused: the first answer is the one about us.
                    RequestError::Refused(_) => self.request_error(RequestError::Refused(refusal)),
                    fault @ RequestError::Call(_) => self.request_error(fault),
                });
                self.tools = listed?;
                Ok(())
            }
            Err(why) => Err(self.request_error(why)),
        }
    }

    fn list(&self, limits: &Limits<'_>) -> Result<Vec<Definition>, RequestError> {
        let mut tools = Vec::new();
        let mut cursor: Option<Value> = None;
        for _ in 0..MOST_PAGES {
            let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
            let page = self.request("tools/list", params, limits)?;
            let listed = page.get("tools").and_then(Value::as_array);
            tools.extend(listed.into_iter().flatten().filter_map(Definition::read));
            cursor = page
                .get("nextCursor")
                .filter(|next| !next.is_null())
                .cloned();
            if cursor.is_none() {
                break;
            }
        }
        Ok(tools)
    }

    fn request(
        &self,
        method: &str,
        mut params: Value,
        limits: &Limits<'_>,
    ) -> Result<Value, RequestError> {
        if let (Some(meta), Value::Object(params)) = (&self.meta, &mut params) {
            params.insert("_meta".to_owned(), meta.clone());
        }
        let request = Outgoing {
            id: self.next.fetch_add(1, Ordering::Relaxed),
            method,
            params: &params,
        };
        self.link.request(&request, limits)
    }

    fn request_error(&self, why: RequestError) -> CallError {
        match why {
            RequestError::Refused(refusal) => {
                let message = format!("server `{}` refused: {}", self.name, refusal.message);
                CallError::lasting(message)
            }
            RequestError::Call(fault) => fault,
        }
    }
}
