//! What is to be run, and what came of it.

pub(crate) mod captured;
pub(crate) mod error;
pub(crate) mod program;
pub(crate) mod report;
pub(crate) mod stdin_writer;
pub(crate) mod stdio;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use crate::namespaces::kept_mounts::KeptMounts;
use crate::policy::Policy;

/// One command, described in full: nothing is taken from the environment of the caller.
#[derive(Debug, Clone)]
pub struct Command {
    /// Program and arguments. A program without `/` is looked up in the `PATH` of `env`.
    pub argv: Vec<OsString>,
    /// Directory the command starts in; relative programs and relative `PATH` entries are resolved against it.
    pub cwd: PathBuf,
    /// The complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// What the command reads.
    pub stdin: Stdin,
    /// Value of [`crate::MARKER`] in the command's environment. Unique per attempt: leftovers are found by it after a
    /// crash.
    pub marker: Option<String>,
    /// How much the command may use.
    pub limits: Limits,
    /// File that receives stdout and stderr as they arrive. It is created with its directories on the first byte, and
    /// only its owner can read it.
    pub log: Option<PathBuf>,
    /// What the command may touch. Without one, everything.
    pub policy: Option<Policy>,
    /// Mounts that were made for this policy ([`crate::Sandbox::make_mounts`]). No other command uses them meanwhile.
    pub mounts: Option<KeptMounts>,
}

/// What a command reads from its standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stdin {
    /// Nothing, only end of file.
    #[default]
    Null,
    /// These bytes, then end of file.
    Bytes(Vec<u8>),
    /// What the caller writes while it runs ([`crate::RunningCommand::take_stdin`]).
    Piped,
}

/// How much a command may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall-clock time from the release to the exit of the command.
    pub time: Option<Duration>,
    /// Bytes kept in memory per stream: the first and the last half of this. The rest is read and dropped.
    pub output: u64,
    /// Maximum size of the log file.
    pub log: u64,
}
