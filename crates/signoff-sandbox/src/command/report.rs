//! How a command ended.

use std::io;
use std::time::Duration;

use crate::command::captured::CapturedOutput;

/// A command that is over, with everything it started.
#[derive(Debug, Clone)]
pub struct CommandReport {
    pub status: ExitStatus,
    pub stdout: CapturedOutput,
    pub stderr: CapturedOutput,
    /// From the release to the exit of the command itself.
    pub duration: Duration,
    /// Processes the command left behind, which were ended.
    pub survivors_ended: usize,
    /// Processes the command left behind, which could not be ended: another user's, or stuck in the kernel.
    pub survivors_left: usize,
    /// Why the log is incomplete, if it is.
    pub log_error: Option<io::ErrorKind>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which was not ours.
    Signaled(i32),
    /// Ended by us: its time was up.
    TimedOut,
    /// Ended by us: somebody asked for it.
    Stopped,
}
