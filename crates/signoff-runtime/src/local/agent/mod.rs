//! An agent at work: its stream is read as it arrives, its progress kept, and the loop told.

mod activity;
mod ask;
mod channel;
mod denials;
mod dialogue;
mod handle;
mod monitor;
mod progress_file;
mod question_directory;
mod questions;
mod sessions;

pub use self::ask::QuestionStop;
pub(crate) use self::ask::{AgentQuestion, AgentSpending, AskError, ask};
pub(super) use self::channel::AgentChannel;
pub(super) use self::denials::Denials;
pub(super) use self::handle::{AgentHandle, EndReason};
pub(super) use self::monitor::{AgentEnding, AgentMonitor, MonitorSetup};
pub(super) use self::questions::Questions;
pub(super) use self::sessions::Sessions;
