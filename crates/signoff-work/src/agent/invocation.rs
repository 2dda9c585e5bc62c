//! One agent process to start, from its driver's launch.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_sandbox::{Command, Limits, Stdin};

use super::driver::{Launch, LaunchInput};

/// Bytes of each stream kept in memory; the whole goes to the log.
const KEPT: u64 = 256 * 1024;
const LOGGED: u64 = 64 * 1024 * 1024;

/// One agent process to start.
#[derive(Debug)]
pub struct Invocation<'a> {
    /// As its driver wants it.
    pub launch: Launch,
    pub prompt: &'a str,
    pub workspace: &'a Path,
    pub environment: Vec<(OsString, OsString)>,
    /// Identifies every process of this attempt.
    pub marker: String,
    pub time: Duration,
    pub log: PathBuf,
}

impl Invocation<'_> {
    /// The process to start.
    pub fn into_command(self) -> Command {
        let launch = self.launch;
        let mut env = self.environment;
        env.retain(|(name, _)| !launch.env.iter().any(|(own, _)| own == name));
        env.extend(launch.env);
        Command {
            argv: launch.argv,
            cwd: self.workspace.to_owned(),
            env,
            stdin: match launch.input {
                LaunchInput::Nothing => Stdin::Null,
                LaunchInput::Prompt => Stdin::Bytes(self.prompt.as_bytes().to_vec()),
                LaunchInput::Dialogue => Stdin::Piped,
            },
            marker: Some(self.marker),
            limits: Limits {
                time: Some(self.time),
                output: KEPT,
                log: LOGGED,
            },
            log: Some(self.log),
            policy: None,
            mounts: None,
        }
    }
}
