//! Any agent that speaks the Agent Client Protocol, version 1: messages of JSON-RPC, one per line, both ways.

mod client;
mod message;
mod permission;
mod update;

pub use self::client::{AcpClient, AcpOptions, AcpStep};
pub use self::permission::PermissionRequest;
use super::command_line::CommandLine;
use super::driver::{
    AgentDriver, DriverKind, Launch, LaunchInput, LaunchOptions, ReaderOptions, StreamReader,
};
use super::end::{AgentEnd, AgentExit};
use super::event::AgentEvent;

#[derive(Debug)]
pub(super) struct Acp;

impl AgentDriver for Acp {
    fn kind(&self) -> DriverKind {
        DriverKind::Acp
    }

    /// There is no such program: the configured command says which agent it is (`gemini --acp`).
    fn program(&self) -> &'static str {
        ""
    }

    fn launch(&self, options: &LaunchOptions<'_>) -> Launch {
        let line = CommandLine::new(options, self.program());
        // As root, Claude's adapter refuses a session without questions unless this is set.
        let line = if options.confined {
            line.variable("IS_SANDBOX", "1")
        } else {
            line
        };
        Launch {
            input: LaunchInput::Dialogue,
            // The protocol cannot switch it off; what the agent asks us is answered by policy.
            keeps_own_sandbox: true,
            holds_scope: false,
            ..line.launch()
        }
    }

    /// Reads what an agent wrote, without answering it: for a dialogue that is over. A live one needs an [`AcpClient`].
    fn reader(&self, options: &ReaderOptions<'_>) -> Box<dyn StreamReader> {
        Box::new(AcpReader(AcpClient::observer(options.model)))
    }
}

#[derive(Debug)]
struct AcpReader(AcpClient);

impl StreamReader for AcpReader {
    fn read_line(&mut self, line: &[u8]) -> Vec<AgentEvent> {
        self.0.receive(line).events
    }

    fn finish(&mut self, exit: AgentExit<'_>) -> AgentEnd {
        self.0.finish(exit)
    }
}
