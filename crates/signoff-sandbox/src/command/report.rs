//! How a command ended.

use std::io;
use std::time::Duration;

use crate::command::captured::Captured;

/// A command that is over, with everything it started.
#[expect(
    clippy::struct_field_names,
    reason = "`survivors_ended` is what they are"
)]
#[derive(Debug, Clone)]
pub struct Ended {
    pub how: How,
    pub stdout: Captured,
    pub stderr: Captured,
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
pub enum How {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, which was not ours.
    Signaled(i32),
    /// Ended by us: its time was up.
    TimedOut,
    /// Ended by us: somebody asked for it.
    Stopped,
}
