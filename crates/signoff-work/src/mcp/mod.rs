//! Tool servers that speak the Model Context Protocol, over their standard input and output or over streamable HTTP.
//!
//! A server is started or greeted when its first tool is called, kept for the run and ended with it. One that
//! dies is a lost connection; the next call starts it again. Start reading at [`Server`], then
//! `connection.rs`.

mod connection;
mod definition;
mod http_link;
mod process_link;
mod request;
mod served;
mod slot;
mod sse;
mod wire;

use std::ffi::OsString;
use std::time::Duration;

use signoff_plan::tools::allows;

pub use self::definition::Definition;
pub use self::http_link::BearerToken;
pub use self::served::{AgentRequest, call_answer, tools_answer};
pub(crate) use self::slot::{ServerContext, ServerSlot};
use crate::project::helpers::PinnedCommand;

/// A configured server.
#[derive(Debug, Clone, PartialEq)]
pub struct Server {
    /// Its tools are called `name.tool`.
    pub name: String,
    /// How it is reached.
    pub reach: ServerReach,
    /// Names and patterns of its tools that change nothing, as a person said.
    pub read_only: Vec<String>,
    /// Names and patterns of its tools that may be called again when the end of a call is unknown.
    pub repeatable: Vec<String>,
    /// How long a call may take at most, its start included.
    pub timeout: Option<Duration>,
    /// What it offered when `signoff tools` last asked; nothing if that was never.
    pub recorded: Option<Vec<Definition>>,
}

/// How a server is reached.
#[derive(Debug, Clone, PartialEq)]
pub enum ServerReach {
    /// A process of ours, over its standard input and output.
    Process {
        /// Program and arguments.
        command: Vec<String>,
        /// It runs in the sandbox, and not with the person's rights.
        confined: bool,
        /// The files of the tree that its command runs, as they were trusted.
        pinned: PinnedCommand,
        /// Variables that it gets besides those that every tool gets.
        env: Vec<(OsString, OsString)>,
    },
    /// A server of somebody else, over streamable HTTP.
    Http {
        /// Where it is.
        url: String,
        /// What it knows us by.
        token: Option<BearerToken>,
    },
}

impl Server {
    /// Whether a tool of it changes nothing: a person says so, or the server said so when it was
    /// recorded and the record is part of what was signed.
    pub fn is_read_only(&self, tool: &str) -> bool {
        let marked = self.definition(tool).is_some_and(|tool| tool.read_only);
        marked || allows(&self.read_only, tool).is_some()
    }

    /// Whether a tool of it may be called again: a person says so, or it changes nothing.
    pub fn is_repeatable(&self, tool: &str) -> bool {
        allows(&self.repeatable, tool).is_some() || self.is_read_only(tool)
    }

    /// What was recorded of a tool.
    pub fn definition(&self, tool: &str) -> Option<&Definition> {
        let recorded = self.recorded.as_ref()?;
        recorded.iter().find(|definition| definition.name == tool)
    }
}
