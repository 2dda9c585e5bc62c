//! A program that a person waits for, such as the one that signs with their key.
//!
//! It is not confined: it keeps the person's terminal, where it may ask for a passphrase, and their whole environment.
//! Nothing that a plan or an agent wrote is started this way.

use std::ffi::OsString;
use std::path::Path;
use std::process;

use crate::command::error::StartError;
use crate::command::{Stdin, program, stdio};

/// A command that keeps the person's terminal.
#[derive(Debug, Clone)]
pub struct InteractiveCommand<'a> {
    /// Program and arguments. A program without `/` is looked up in the `PATH` of `env`.
    pub argv: Vec<OsString>,
    /// Directory it starts in.
    pub cwd: &'a Path,
    /// The complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// What it reads.
    pub stdin: Stdin,
}

/// What an interactive command printed, and its exit code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InteractiveOutput {
    /// `None` if a signal ended it.
    pub code: Option<i32>,
    /// Everything it wrote to stdout.
    pub stdout: Vec<u8>,
    /// Everything it wrote to stderr.
    pub stderr: Vec<u8>,
}

impl InteractiveCommand<'_> {
    /// Runs the command until it exits.
    pub fn run(self) -> Result<InteractiveOutput, StartError> {
        let name = self.argv.first().cloned().unwrap_or_default();
        let file = program::find(&name, self.cwd, &self.env)?;
        let output = process::Command::new(self.cwd.join(file))
            .args(self.argv.iter().skip(1))
            .current_dir(self.cwd)
            .env_clear()
            .envs(self.env)
            .stdin(stdio::open_stdin(&self.stdin)?.child)
            .output()?;
        Ok(InteractiveOutput {
            code: output.status.code(),
            stdout: output.stdout,
            stderr: output.stderr,
        })
    }
}
