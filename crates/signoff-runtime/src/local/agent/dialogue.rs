//! A dialogue with an agent, shared by the thread that reads its stream and by the loop, which has a person's answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use signoff_sandbox::StdinWriter;
use signoff_work::agent::{AcpClient, AcpStep, AgentEnd, AgentExit, PermissionRequest};

use super::channel::ParsedLine;

/// How long an agent may take to read what it is told.
const PATIENCE: Duration = Duration::from_secs(20);

/// A dialogue; clones share it.
#[derive(Debug, Clone)]
pub(in crate::local) struct Dialogue(Arc<Mutex<DialogueState>>);

#[derive(Debug)]
struct DialogueState {
    client: AcpClient,
    /// Until one side is done.
    stdin: Option<StdinWriter>,
}

impl Dialogue {
    pub(super) fn new(client: AcpClient) -> Self {
        Self(Arc::new(Mutex::new(DialogueState {
            client,
            stdin: None,
        })))
    }

    /// The agent runs.
    pub(super) fn begin(&self, stdin: Option<StdinWriter>) {
        let mut state = self.lock();
        state.stdin = stdin;
        state.send(&AcpClient::start(), PATIENCE);
    }

    /// Takes a line of the agent.
    pub(super) fn read_line(&self, line: &[u8]) -> ParsedLine {
        let mut state = self.lock();
        let AcpStep {
            send: messages,
            events,
            ask,
            finished,
        } = state.client.receive(line);
        state.send(&messages, PATIENCE);
        if finished {
            state.stdin = None;
        }
        ParsedLine {
            events,
            asks: ask,
            is_done: finished,
        }
    }

    /// Tells the agent a person's answer.
    pub(super) fn answer(&self, question: &PermissionRequest, allow: bool) {
        let mut state = self.lock();
        let message = state.client.answer(question, allow);
        state.send(message.as_slice(), PATIENCE);
    }

    /// Tells the agent that it is about to be ended, if that takes no time.
    pub(super) fn cancel(&self) {
        if let Ok(mut state) = self.0.try_lock() {
            let messages = state.client.cancel();
            state.send(&messages, Duration::ZERO);
        }
    }

    pub(super) fn finish(&self, exit: AgentExit<'_>) -> AgentEnd {
        self.lock().client.finish(exit)
    }

    fn lock(&self) -> MutexGuard<'_, DialogueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl DialogueState {
    /// Writes messages. An agent that does not read them any more ends by itself, or by its time limit.
    fn send(&mut self, messages: &[Value], patience: Duration) {
        for message in messages {
            let line = format!("{message}\n");
            let until = Instant::now() + patience;
            let is_written = self
                .stdin
                .as_mut()
                .is_some_and(|stdin| stdin.write_message(line.as_bytes(), until).is_ok());
            if !is_written {
                self.stdin = None;
            }
        }
    }
}
