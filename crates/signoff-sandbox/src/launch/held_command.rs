//! A command that waits at its gate.

use std::fs::File;
use std::io::Write;
use std::os::fd::OwnedFd;

use crate::after_fork::failure::ChildFailure;
use crate::command::error::StartError;
use crate::launch::started_child::StartedChild;
use crate::process_tree::identity::ProcessIdentity;
use crate::watch::running::RunningCommand;

/// A process that becomes the command when it is released.
///
/// Nothing of the command has run. If this is dropped, or this process dies, the held process ends without becoming the
/// command.
#[derive(Debug)]
pub struct HeldCommand {
    pub(crate) started: StartedChild,
    pub(crate) gate: Gate,
    /// Tells why the child did not become the command.
    pub(crate) status: OwnedFd,
    pub(crate) identity: ProcessIdentity,
}

/// Our side of a gate. It has both ends of the pipe, so that the pipe does not break if the child was killed meanwhile.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) write: OwnedFd,
    pub(crate) _read: OwnedFd,
}

impl HeldCommand {
    /// Returns which process it is, to be written down before it is released.
    pub fn identity(&self) -> &ProcessIdentity {
        &self.identity
    }

    /// Lets the process become the command.
    pub fn release(mut self) -> Result<RunningCommand, StartError> {
        File::from(self.gate.write).write_all(&[0])?;
        self.started.failure = ChildFailure::read(self.status)?;
        self.started.into_running()
    }
}
