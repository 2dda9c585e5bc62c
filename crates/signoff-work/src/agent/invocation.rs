//! One agent process to start, from its driver's launch.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_sandbox::{Command, Limits, Stdin};

use super::driver::{DriverKind, LaunchInput, LaunchOptions};

/// Bytes of each stream kept in memory; the whole goes to the log.
const KEPT: u64 = 256 * 1024;
const LOGGED: u64 = 64 * 1024 * 1024;

/// One agent process to start, by the `command` driver.
#[derive(Debug)]
pub struct Invocation<'a> {
    /// Command line of the role, with placeholders.
    pub command: &'a [String],
    pub prompt: &'a str,
    /// The same prompt, on disk.
    pub prompt_file: &'a Path,
    pub workspace: &'a Path,
    /// The model that the plan wants its agents to use.
    pub model: Option<&'a str>,
    /// The tools that the plan leaves it; without a scope, all.
    pub tools: Option<&'a [String]>,
    pub environment: Vec<(OsString, OsString)>,
    /// Identifies every process of this attempt.
    pub marker: String,
    pub time: Duration,
    pub log: PathBuf,
}

impl Invocation<'_> {
    /// The process to start.
    pub fn into_command(self) -> Command {
        let launch = DriverKind::Command.driver().launch(&LaunchOptions {
            command: self.command,
            prompt: self.prompt,
            prompt_file: self.prompt_file,
            workspace: self.workspace,
            model: self.model,
            tools: self.tools,
            confined: false,
            resume: None,
        });
        let mut env = self.environment;
        env.extend(launch.env);
        Command {
            argv: launch.argv,
            cwd: self.workspace.to_owned(),
            env,
            stdin: match launch.input {
                LaunchInput::Prompt => Stdin::Bytes(self.prompt.as_bytes().to_vec()),
                LaunchInput::Nothing | LaunchInput::Dialogue => Stdin::Null,
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
