//! A dialogue with an agent: the thread that listens to it and the loop, which has a person's answers, share it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use signoff_sandbox::{RunningCommand, StdinWriter, TimeLimit};
use signoff_work::agent::{AcpClient, AcpStep, AgentEnd, AgentExit, PermissionRequest};

use super::talk::Heard;

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
    /// Questions for a person that are not journaled yet, oldest first.
    asked: VecDeque<PermissionRequest>,
    /// Those that are open in the inbox, by its items.
    open: BTreeMap<String, PermissionRequest>,
    /// Does not run while the agent waits for a person.
    time: Option<TimeLimit>,
}

impl Dialogue {
    pub(super) fn new(client: AcpClient) -> Self {
        Self(Arc::new(Mutex::new(DialogueState {
            client,
            stdin: None,
            asked: VecDeque::new(),
            open: BTreeMap::new(),
            time: None,
        })))
    }

    /// The agent runs.
    pub(super) fn begin(&self, running: &mut RunningCommand) {
        let mut state = self.lock();
        state.stdin = running.take_stdin();
        state.time = Some(running.time_limit());
        state.send(&AcpClient::start(), PATIENCE);
    }

    /// Takes a line of the agent.
    pub(super) fn hear(&self, line: &[u8]) -> Heard {
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
        let asks = ask.as_ref().map(PermissionRequest::summary);
        if let Some(question) = ask {
            state.asked.push_back(question);
            state.update_time();
        }
        Heard {
            events,
            asks,
            is_done: finished,
        }
    }

    /// The oldest question that was not journaled is this item now.
    pub(super) fn journaled(&self, item: &str) {
        let mut state = self.lock();
        if let Some(question) = state.asked.pop_front() {
            state.open.insert(item.to_owned(), question);
        }
    }

    /// Is this item a question of the agent that is open?
    pub(super) fn has_open(&self, item: &str) -> bool {
        self.lock().open.contains_key(item)
    }

    /// Tells the agent a person's answer, if it asked this.
    pub(super) fn answer(&self, item: &str, allow: bool) {
        let mut state = self.lock();
        let Some(question) = state.open.remove(item) else {
            return;
        };
        let message = state.client.answer(&question, allow);
        state.send(message.as_slice(), PATIENCE);
        state.update_time();
    }

    /// Says that the agent is about to be ended, as far as that takes no time.
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
    /// The agent's time runs unless it waits for a person.
    fn update_time(&self) {
        let waits = !self.asked.is_empty() || !self.open.is_empty();
        match &self.time {
            Some(time) if waits => time.pause(),
            Some(time) => time.go_on(),
            None => {}
        }
    }

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
