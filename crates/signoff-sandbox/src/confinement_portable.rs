//! What a level makes of a policy where there is no level.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::level::Level;
use crate::policy::Policy;

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

pub(crate) fn confine(
    level: Level,
    _policy: &Policy,
    _cwd: &Path,
    _program: &Path,
) -> io::Result<Confined> {
    match level {
        Level::None => Ok(Confined::default()),
        other => Err(io::Error::new(
            io::ErrorKind::Unsupported,
            format!("there is no `{other}` on this system"),
        )),
    }
}
