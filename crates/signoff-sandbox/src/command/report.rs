//! What came of a command.

use std::io;
use std::time::Duration;

use crate::command::captured::CapturedOutput;

/// How a command ended, and what it printed. Every process that it started is gone, except `survivors_left`.
#[derive(Debug, Clone)]
pub struct CommandReport {
    pub status: ExitStatus,
    pub stdout: CapturedOutput,
    pub stderr: CapturedOutput,
    /// Time from the release to the exit of the command itself.
    pub duration: Duration,
    /// Processes that the command left behind, and that were ended.
    pub survivors_ended: usize,
    /// Processes that the command left behind, and that could not be ended: another user's, or stuck in the kernel.
    pub survivors_left: usize,
    /// Why the log is incomplete, if it is.
    pub log_error: Option<io::ErrorKind>,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// It exited by itself, with this code.
    Exited(i32),
    /// A signal ended it that we did not send.
    Signaled(i32),
    /// We ended it because its time was up.
    TimedOut,
    /// We ended it because a caller asked for it.
    Stopped,
}
