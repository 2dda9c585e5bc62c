//! A command that waits at its gate.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use crate::after_fork::failure::{ChildFailure, StartStage};
use crate::command::error::StartError;
use crate::process_tree::identity::ProcessIdentity;
use crate::spawn::leader::Leader;
use crate::watch::running::{RunningCommand, WatchOptions};

/// A process that will become the command when it is released.
///
/// Nothing of the command has run. Dropped, or if this process dies, it ends without ever becoming the command.
#[derive(Debug)]
pub struct HeldCommand {
    pub(crate) started: StartedChild,
    pub(crate) gate: Gate,
    /// Tells why the child did not become the command.
    pub(crate) status: OwnedFd,
    pub(crate) identity: ProcessIdentity,
}

/// Our side of a gate. Both ends, so that releasing a child that was killed meanwhile does not break a pipe.
#[derive(Debug)]
pub(crate) struct Gate {
    pub(crate) write: OwnedFd,
    pub(crate) _read: OwnedFd,
}

/// A child that becomes the command as soon as it may, or has become it.
#[derive(Debug)]
pub(crate) struct StartedChild {
    pub(crate) leader: Leader,
    pub(crate) failure: Option<ChildFailure>,
    pub(crate) options: WatchOptions,
    pub(crate) program: OsString,
    pub(crate) cwd: PathBuf,
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
        self.started.confirm()
    }
}

impl StartedChild {
    /// Returns the command that the child has become.
    pub(crate) fn confirm(self) -> Result<RunningCommand, StartError> {
        let (leader, options) = self.confirmed()?;
        Ok(RunningCommand::new(leader, options)?)
    }

    /// The same, for whoever watches it in another way.
    pub(crate) fn confirmed(self) -> Result<(Leader, WatchOptions), StartError> {
        if let Some(failure) = self.failure {
            return Err(explain(failure, &self.program, &self.cwd));
        }
        Ok((self.leader, self.options))
    }
}

fn explain(failure: ChildFailure, program: &OsStr, cwd: &std::path::Path) -> StartError {
    let error = io::Error::from_raw_os_error(failure.errno);
    let about =
        |what: String| StartError::Io(io::Error::new(error.kind(), format!("{what}: {error}")));
    match failure.stage {
        StartStage::Prepare => about("cannot prepare the process".to_owned()),
        StartStage::Confine => about("cannot confine the process".to_owned()),
        StartStage::EnterDirectory => about(format!("cannot enter `{}`", cwd.display())),
        StartStage::Execute => match error.kind() {
            // The program was there when it was looked up, so what is missing is most likely its interpreter.
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
                StartError::NotExecutable {
                    program: program.to_owned(),
                }
            }
            _ if failure.errno == libc::ENOEXEC => StartError::NotExecutable {
                program: program.to_owned(),
            },
            _ => about(format!("cannot execute `{}`", program.display())),
        },
    }
}
