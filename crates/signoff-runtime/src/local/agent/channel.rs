//! Listens to an agent, and answers the one that asks.

use signoff_sandbox::StdinWriter;
use signoff_work::agent::{
    AcpClient, AcpOptions, AgentEnd, AgentEvent, AgentExit, DriverKind, LaunchOptions,
    PermissionRequest, ReaderOptions, StreamReader,
};

use super::dialogue::Dialogue;
use super::sessions::ResumedSession;

/// How an agent is listened to.
pub(in crate::local) enum AgentChannel {
    /// Its stream is read.
    Stream(Box<dyn StreamReader>),
    /// It takes messages as well.
    Dialogue(Dialogue),
}

/// The effect of a line of an agent.
pub(super) struct ParsedLine {
    pub(super) events: Vec<AgentEvent>,
    /// What it asks a person.
    pub(super) asks: Option<PermissionRequest>,
    /// It has nothing more to do.
    pub(super) is_done: bool,
}

impl AgentChannel {
    pub(in crate::local) fn new(
        driver: DriverKind,
        options: &LaunchOptions<'_>,
        resumed: Option<&ResumedSession>,
    ) -> Self {
        match driver {
            DriverKind::Acp => {
                Self::Dialogue(Dialogue::new(AcpClient::new(AcpOptions::new(options))))
            }
            driver => {
                let options = ReaderOptions {
                    model: options.model,
                    used_before: resumed.map_or(&[], |session| session.used.as_slice()),
                };
                Self::Stream(driver.driver().reader(&options))
            }
        }
    }

    /// The dialogue, if it is one.
    pub(super) fn as_dialogue(&self) -> Option<&Dialogue> {
        match self {
            Self::Stream(_) => None,
            Self::Dialogue(dialogue) => Some(dialogue),
        }
    }

    /// Refuses the agent's question if nobody can be asked.
    pub(super) fn deny(&self, question: &PermissionRequest) {
        if let Self::Dialogue(dialogue) = self {
            dialogue.answer(question, false);
        }
    }

    /// The agent runs.
    pub(super) fn begin(&self, stdin: Option<StdinWriter>) {
        if let Self::Dialogue(dialogue) = self {
            dialogue.begin(stdin);
        }
    }

    /// Takes a line of the agent.
    pub(super) fn read_line(&mut self, line: &[u8]) -> ParsedLine {
        match self {
            Self::Stream(reader) => ParsedLine {
                events: reader.read_line(line),
                asks: None,
                is_done: false,
            },
            Self::Dialogue(dialogue) => dialogue.read_line(line),
        }
    }

    pub(super) fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        match self {
            Self::Stream(reader) => reader.finish(exit),
            Self::Dialogue(dialogue) => dialogue.finish(exit),
        }
    }
}
