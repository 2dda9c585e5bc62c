//! What a level makes of a policy where there is no level.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::StartError;
use crate::kept_mounts::KeptMounts;
use crate::level::Level;
use crate::policy::Policy;
use crate::program;

/// How a command is changed to be confined.
#[derive(Debug, Default)]
pub(crate) struct Confined {
    pub(crate) wrapper: Option<Wrapper>,
    pub(crate) rules: Option<Arc<OwnedFd>>,
}

/// A program that confines another one.
#[derive(Debug)]
pub(crate) struct Wrapper {
    pub(crate) program: PathBuf,
    pub(crate) before: Vec<OsString>,
}

/// Finds the file to execute.
pub(crate) fn find_program(
    program: &OsStr,
    cwd: &Path,
    env: &[(OsString, OsString)],
    _policy: Option<&Policy>,
) -> Result<PathBuf, StartError> {
    program::find(program, cwd, env)
}

pub(crate) fn confine(
    level: Level,
    (policy, _kept): (&Policy, Option<&KeptMounts>),
    _cwd: &Path,
    _program: &Path,
) -> io::Result<Confined> {
    match level {
        Level::None if policy.overlays.is_empty() => Ok(Confined::default()),
        Level::None => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            "there are no overlays on this system",
        )),
        other => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("there is no `{other}` on this system"),
        )),
    }
}
