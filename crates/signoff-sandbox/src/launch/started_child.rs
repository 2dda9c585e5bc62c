//! A child that becomes the command as soon as it may, or has become it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use crate::after_fork::failure::{ChildFailure, StartStage};
use crate::command::error::StartError;
use crate::spawn::leader::Leader;
use crate::watch::running::{RunningCommand, WatchOptions};

#[derive(Debug)]
pub(crate) struct StartedChild {
    pub(crate) leader: Leader,
    pub(crate) failure: Option<ChildFailure>,
    pub(crate) options: WatchOptions,
    pub(crate) program: OsString,
    pub(crate) cwd: PathBuf,
}

impl StartedChild {
    /// Returns the command that the child has become.
    pub(crate) fn into_running(self) -> Result<RunningCommand, StartError> {
        let (leader, options) = self.into_parts()?;
        Ok(RunningCommand::new(leader, options)?)
    }

    /// The same, for a caller that watches the command in another way.
    pub(crate) fn into_parts(self) -> Result<(Leader, WatchOptions), StartError> {
        if let Some(failure) = self.failure {
            return Err(start_error(failure, &self.program, &self.cwd));
        }
        Ok((self.leader, self.options))
    }
}

fn start_error(failure: ChildFailure, program: &OsStr, cwd: &Path) -> StartError {
    let error = io::Error::from_raw_os_error(failure.errno);
    let failed_to =
        |what: String| StartError::Io(io::Error::new(error.kind(), format!("{what}: {error}")));
    let not_executable = || StartError::NotExecutable {
        program: program.to_owned(),
    };
    match failure.stage {
        StartStage::Prepare => failed_to("cannot prepare the process".to_owned()),
        StartStage::Confine => failed_to("cannot confine the process".to_owned()),
        StartStage::EnterDirectory => failed_to(format!("cannot enter `{}`", cwd.display())),
        StartStage::Execute => match error.kind() {
            // The program was there when it was looked up, so its interpreter is probably missing.
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => not_executable(),
            _ if failure.errno == libc::ENOEXEC => not_executable(),
            _ => failed_to(format!("cannot execute `{}`", program.display())),
        },
    }
}
