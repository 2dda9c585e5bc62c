//! A server that runs, and the conversation with it. Several calls may be under way at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signoff_sandbox::{Command, MessageError, PipedProcess, Sandbox, StdinWriter};

use super::definition::Definition;
use super::wire::{self, RpcError, ServerMessage, StreamEnd};
use crate::call::{CallError, Limits};

/// The version of the protocol that we ask for; a server may answer with an older one.
const VERSION: &str = "2025-11-25";
/// The first version without a handshake, for servers that know no other.
const STATELESS: &str = "2026-07-28";
/// Pages of tools; more, and the server is going in circles.
const MOST_PAGES: usize = 100;
/// Bytes of its complaints that a failure quotes.
const QUOTED: usize = 1_000;
/// How long a server that closed its output may take to say why.
const PARTING: Duration = Duration::from_millis(500);
/// How long a server may take to read what it needs not answer.
const ASIDE: Duration = Duration::from_secs(5);
/// How long a server that let a call time out may take to say that it is still there.
const PING: Duration = Duration::from_secs(5);

/// A server that runs.
#[derive(Debug)]
pub(super) struct Connection {
    name: String,
    shared: Arc<Shared>,
    /// Gone once the server is ended.
    process: Option<PipedProcess>,
    next: AtomicU64,
    /// What every request says of itself, where there is no handshake.
    meta: Option<Value>,
    tools: Vec<Definition>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Gone once we have nothing more to say.
    stdin: Mutex<Option<StdinWriter>>,
    calls: Mutex<Calls>,
    /// A call timed out, and nothing was heard of the server since.
    silent: AtomicBool,
}

#[derive(Debug, Default)]
struct Calls {
    over: Option<StreamEnd>,
    waiting: BTreeMap<u64, Sender<CallOutcome>>,
}

/// What a caller waits for.
#[derive(Debug)]
enum CallOutcome {
    Answer(Result<Value, RpcError>),
    Over(StreamEnd),
    Stopped,
}

/// Why a request has no result.
enum RequestError {
    Refused(RpcError),
    Call(CallError),
}

impl Connection {
    /// Starts a server and asks what it offers.
    pub(super) fn open(
        name: &str,
        command: Command,
        sandbox: &Sandbox,
        limits: &Limits<'_>,
    ) -> Result<Self, CallError> {
        limits.check()?;
        let failed =
            |why: String| CallError::lasting(format!("server `{name}` does not start: {why}"));
        let piped = sandbox.start_piped(command);
        let piped = piped.map_err(|error| failed(error.to_string()))?;
        let shared = Arc::new(Shared {
            stdin: Mutex::new(Some(piped.stdin)),
            ..Shared::default()
        });
        let listener = Arc::clone(&shared);
        thread::Builder::new()
            .name("signoff-mcp".to_owned())
            .spawn(move || listener.listen(piped.stdout))
            .map_err(|error| failed(error.to_string()))?;
        let mut connection = Self {
            name: name.to_owned(),
            shared,
            process: Some(piped.process),
            next: AtomicU64::new(1),
            meta: None,
            tools: Vec::new(),
        };
        connection.greet(limits)?;
        Ok(connection)
    }

    /// What it offers.
    pub(super) fn tools(&self) -> &[Definition] {
        &self.tools
    }

    /// Whether it can still be asked.
    pub(super) fn is_open(&self) -> bool {
        lock(&self.shared.calls).over.is_none()
    }

    /// Whether another call can reach it. A server that does one thing at a time may hang in a call that timed out; a call that
    /// is still under way is not cut off to find out.
    pub(super) fn is_responsive(&self, limits: &Limits<'_>) -> bool {
        let is_idle = lock(&self.shared.calls).waiting.is_empty();
        if self.is_open() && is_idle && self.shared.silent.load(Ordering::Relaxed) {
            // Most of the time is left for starting it again and for the call.
            let patience = limits.at_most(Some(PING.min(limits.time / 4)));
            // Any answer will do, also that it does not know what a ping is.
            self.request("ping", json!({}), &patience).ok();
            return !self.shared.silent.load(Ordering::Relaxed);
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

    /// Says that nothing more will be asked. A server ends when it reads that.
    pub(super) fn hang_up(&self) {
        drop(lock(&self.shared.stdin).take());
    }

    fn greet(&mut self, limits: &Limits<'_>) -> Result<(), CallError> {
        let who = json!({"name": "signoff", "version": env!("CARGO_PKG_VERSION")});
        let hello = json!({"protocolVersion": VERSION, "capabilities": {}, "clientInfo": who});
        match self.request("initialize", hello, limits) {
            Ok(_) => {
                let ready = wire::notification("notifications/initialized", &json!({}));
                self.shared.say(&ready, limits.deadline).ok();
                self.tools = self.list(limits).map_err(|why| self.request_error(why))?;
                Ok(())
            }
            Err(RequestError::Refused(refusal)) => {
                self.meta = Some(json!({
                    "io.modelcontextprotocol/protocolVersion": STATELESS,
                    "io.modelcontextprotocol/clientCapabilities": {},
                    "io.modelcontextprotocol/clientInfo": who,
                }));
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
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = channel();
        let stopped = sender.clone();
        {
            let mut calls = lock(&self.shared.calls);
            if let Some(over) = calls.over {
                return Err(RequestError::Call(self.connection_lost(over)));
            }
            calls.waiting.insert(id, sender);
        }
        let asked = self
            .shared
            .say(&wire::request(id, method, &params), limits.deadline);
        if let Err(unsaid) = asked {
            self.forget(id);
            return Err(RequestError::Call(self.send_error(unsaid, limits)));
        }
        let listening = limits
            .stop
            .when_raised(move || drop(stopped.send(CallOutcome::Stopped)));
        let left = limits.deadline.saturating_duration_since(Instant::now());
        let heard = receiver.recv_timeout(left);
        drop(listening);
        let fault = match heard {
            Ok(CallOutcome::Answer(answer)) => return answer.map_err(RequestError::Refused),
            Ok(CallOutcome::Over(over)) => self.connection_lost(over),
            Err(RecvTimeoutError::Disconnected) => self.connection_lost(StreamEnd::Ended),
            Ok(CallOutcome::Stopped) => self.given_up(id, CallError::Stopped),
            Err(RecvTimeoutError::Timeout) => {
                self.shared.silent.store(true, Ordering::Relaxed);
                self.given_up(id, limits.too_long())
            }
        };
        Err(RequestError::Call(fault))
    }

    /// Tells the server that the caller gave up.
    fn given_up(&self, id: u64, fault: CallError) -> CallError {
        self.forget(id);
        let params = json!({"requestId": id, "reason": "the caller gave up"});
        let cancelled = wire::notification("notifications/cancelled", &params);
        self.shared.say(&cancelled, Instant::now() + ASIDE).ok();
        fault
    }

    fn forget(&self, id: u64) {
        lock(&self.shared.calls).waiting.remove(&id);
    }

    fn send_error(&self, unsaid: MessageError, limits: &Limits<'_>) -> CallError {
        match unsaid {
            MessageError::Closed => self.connection_lost(StreamEnd::Ended),
            MessageError::TooSlow => {
                // It may have read half of a message, after which nothing makes sense.
                self.shared.end(StreamEnd::Ended);
                limits.too_long()
            }
        }
    }

    fn connection_lost(&self, over: StreamEnd) -> CallError {
        let name = &self.name;
        if over == StreamEnd::TooLong {
            return CallError::lasting(format!("server `{name}` sent more than 16 MiB at once"));
        }
        // What it says last is on its way through another pipe.
        let said = self.process.as_ref().map_or_else(String::new, |process| {
            process.stderr_tail(QUOTED, Instant::now() + PARTING)
        });
        let said = match said.trim() {
            "" => String::new(),
            said => format!(": {said}"),
        };
        CallError::cut_off(format!("the connection to server `{name}` was lost{said}"))
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

impl Drop for Connection {
    fn drop(&mut self) {
        self.hang_up();
        if let Some(process) = self.process.take() {
            process.end();
        }
    }
}

impl Shared {
    fn say(&self, line: &[u8], until: Instant) -> Result<(), MessageError> {
        let mut stdin = lock(&self.stdin);
        let stdin = stdin.as_mut().ok_or(MessageError::Closed)?;
        stdin.write_message(line, until)
    }

    /// Passes every answer to its caller, until the stream ends.
    fn listen(&self, stdout: impl std::io::Read) {
        let over = wire::read_lines(stdout, |line| {
            self.silent.store(false, Ordering::Relaxed);
            for message in wire::incoming(line) {
                match message {
                    ServerMessage::Answer { id, answer } => {
                        let waiting = lock(&self.calls).waiting.remove(&id);
                        // A caller that gave up no longer listens.
                        waiting.map(|sender| sender.send(CallOutcome::Answer(answer)));
                    }
                    ServerMessage::Request { reply } => {
                        self.say(&wire::line(&reply), Instant::now() + ASIDE).ok();
                    }
                    ServerMessage::Nothing => {}
                }
            }
        });
        self.end(over);
    }

    fn end(&self, over: StreamEnd) {
        let waiting = {
            let mut calls = lock(&self.calls);
            calls.over.get_or_insert(over);
            std::mem::take(&mut calls.waiting)
        };
        for sender in waiting.into_values() {
            sender.send(CallOutcome::Over(over)).ok();
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
