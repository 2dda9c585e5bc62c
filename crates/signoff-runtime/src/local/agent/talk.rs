//! Listens to an agent, and answers the one that asks.

use std::time::{Duration, Instant};

use serde_json::Value;
use signoff_sandbox::StdinWriter;
use signoff_work::agent::{
    AcpClient, AcpOptions, AcpStep, AgentEnd, AgentEvent, AgentExit, DriverKind, LaunchOptions,
    ReaderOptions, StreamReader,
};

use super::sessions::ResumedSession;

/// How long an agent may take to read what it is told.
const PATIENCE: Duration = Duration::from_secs(20);

/// How an agent is listened to.
pub(in crate::local) enum Talk {
    /// Its stream is read.
    Stream(Box<dyn StreamReader>),
    /// It is spoken with.
    Dialogue {
        client: Box<AcpClient>,
        /// Until one side is done.
        stdin: Option<StdinWriter>,
    },
}

/// What follows from a line of an agent.
pub(super) struct Heard {
    pub(super) events: Vec<AgentEvent>,
    /// It has nothing more to do.
    pub(super) is_done: bool,
}

impl Talk {
    pub(in crate::local) fn new(
        driver: DriverKind,
        options: &LaunchOptions<'_>,
        resumed: Option<&ResumedSession>,
    ) -> Self {
        match driver {
            DriverKind::Acp => Self::Dialogue {
                client: Box::new(AcpClient::new(AcpOptions::new(options))),
                stdin: None,
            },
            driver => {
                let options = ReaderOptions {
                    model: options.model,
                    used_before: resumed.map_or(&[], |session| session.used.as_slice()),
                };
                Self::Stream(driver.driver().reader(&options))
            }
        }
    }

    /// The agent runs.
    pub(super) fn begin(&mut self, writer: Option<StdinWriter>) {
        if let Self::Dialogue { stdin, .. } = self {
            *stdin = writer;
            send(stdin, &AcpClient::start());
        }
    }

    /// Takes a line of the agent.
    pub(super) fn hear(&mut self, line: &[u8]) -> Heard {
        let (client, stdin) = match self {
            Self::Stream(reader) => {
                return Heard {
                    events: reader.line(line),
                    is_done: false,
                };
            }
            Self::Dialogue { client, stdin } => (client, stdin),
        };
        let AcpStep {
            send: mut messages,
            events,
            ask,
            finished,
        } = client.receive(line);
        // Nobody waits beside an agent: what the policy does not allow is refused.
        messages.extend(ask.and_then(|question| client.answer(&question, false)));
        send(stdin, &messages);
        if finished {
            *stdin = None;
        }
        Heard {
            events,
            is_done: finished,
        }
    }

    pub(super) fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        match self {
            Self::Stream(reader) => reader.finish(exit),
            Self::Dialogue { client, .. } => client.finish(exit),
        }
    }
}

/// Writes messages. An agent that does not read them any more ends by itself, or by its time limit.
fn send(stdin: &mut Option<StdinWriter>, messages: &[Value]) {
    for message in messages {
        let line = format!("{message}\n");
        let until = Instant::now() + PATIENCE;
        let is_written = stdin
            .as_mut()
            .is_some_and(|stdin| stdin.write_message(line.as_bytes(), until).is_ok());
        if !is_written {
            *stdin = None;
        }
    }
}
