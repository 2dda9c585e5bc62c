//! The agents that people have. A [`AgentDriver`] knows one of them: its command line, its stream, its end. Nothing here starts a
//! process or waits for one.
//!
//! Start reading at [`DriverKind::driver`] and [`AgentEvent`].

mod acp;
mod claude;
mod codex;
mod command;
mod command_line;
mod driver;
mod end;
mod event;
mod gemini;
mod invocation;
mod json;
mod lines;
mod opencode;
mod pi;
mod placeholder;
mod prices;
mod scope;
mod servers;
mod state;
mod text;
mod usage;

pub use self::acp::{AcpClient, AcpOptions, AcpStep, PermissionRequest};
pub use self::driver::{
    AgentDriver, DriverKind, Launch, LaunchFile, LaunchGuard, LaunchInput, LaunchOptions,
    LaunchServer, ReaderOptions, StreamReader,
};
pub use self::end::{AgentEnd, AgentExit, AgentProblem};
pub use self::event::{AgentEvent, ModelUsage, TodoEntry, TodoState};
pub use self::invocation::Invocation;
pub use self::lines::LineSplitter;
pub use self::prices::{Price, Prices};
pub use self::usage::{PricedUsage, Spending};
