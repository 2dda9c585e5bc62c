//! A server that is a process, spoken to over its standard input and output. Several requests may be under way at once.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use signoff_sandbox::{Command, MessageError, PipedProcess, Sandbox, StdinWriter};

use super::request::{Outgoing, RequestError};
use super::wire::{self, RpcError, ServerMessage, StreamEnd};
use crate::call::{CallError, Limits};

/// Bytes of its complaints that a failure quotes.
const QUOTED: usize = 1_000;
/// How long a server that closed its output may take to say why.
const PARTING: Duration = Duration::from_millis(500);
/// How long a server may take to read what it needs not answer.
const ASIDE: Duration = Duration::from_secs(5);

/// A server that runs.
#[derive(Debug)]
pub(super) struct ProcessLink {
    name: String,
    shared: Arc<Shared>,
    /// Gone once the server is ended.
    process: Option<PipedProcess>,
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

impl ProcessLink {
    /// Starts the server.
    pub(super) fn start(
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
        Ok(Self {
            name: name.to_owned(),
            shared,
            process: Some(piped.process),
        })
    }

    /// Whether it can still be asked.
    pub(super) fn is_open(&self) -> bool {
        lock(&self.shared.calls).over.is_none()
    }

    /// Whether it may hang in a call that timed out.
    pub(super) fn is_silent(&self) -> bool {
        let is_idle = lock(&self.shared.calls).waiting.is_empty();
        is_idle && self.shared.silent.load(Ordering::Relaxed)
    }

    /// Says that nothing more will be asked. A server ends when it reads that.
    pub(super) fn hang_up(&self) {
        drop(lock(&self.shared.stdin).take());
    }

    /// Says what needs no answer.
    pub(super) fn notify(&self, message: &Value, until: Instant) {
        self.shared
            .write_line(&wire::message_line(message), until)
            .ok();
    }

    /// Asks, and waits for the answer.
    pub(super) fn request(
        &self,
        request: &Outgoing<'_>,
        limits: &Limits<'_>,
    ) -> Result<Value, RequestError> {
        let id = request.id;
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
            .write_line(&wire::message_line(&request.message()), limits.deadline);
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
        self.notify(&wire::cancel_notification(id), Instant::now() + ASIDE);
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
}

impl Drop for ProcessLink {
    fn drop(&mut self) {
        self.hang_up();
        if let Some(process) = self.process.take() {
            process.end();
        }
    }
}

impl Shared {
    fn write_line(&self, line: &[u8], until: Instant) -> Result<(), MessageError> {
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
                        self.write_line(&wire::message_line(&reply), Instant::now() + ASIDE)
                            .ok();
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
