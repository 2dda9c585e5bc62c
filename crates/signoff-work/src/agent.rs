//! The `command` driver: any program as an agent. A fresh process, the prompt, nothing else; it does
//! not know that it is part of a plan.

mod placeholder;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_sandbox::{Command, Limits, Stdin};

use self::placeholder::{PlaceholderValues, fill};

/// Bytes of each stream kept in memory; the whole goes to the log.
const KEPT: u64 = 256 * 1024;
const LOGGED: u64 = 64 * 1024 * 1024;
/// Tells an agent the model that its plan names, if it names one.
const MODEL: &str = "SIGNOFF_MODEL";
/// Tells an agent the tools that its plan leaves it, separated by commas, if there is a scope.
const TOOLS: &str = "SIGNOFF_TOOLS";

/// One agent process to start.
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
    /// The process to start. Without a placeholder that carries the prompt, it goes to stdin.
    pub fn into_command(mut self) -> Command {
        let model = self.model.map(|model| (MODEL.into(), model.into()));
        self.environment.extend(model);
        let tools = self
            .tools
            .map(|tools| (TOOLS.into(), tools.join(",").into()));
        self.environment.extend(tools);
        let values = PlaceholderValues {
            task: self.prompt,
            prompt_file: &self.prompt_file.to_string_lossy(),
            workspace: &self.workspace.to_string_lossy(),
            model: self.model.unwrap_or_default(),
        };
        let (argv, carries_prompt) = fill(self.command, &values);
        Command {
            argv,
            cwd: self.workspace.to_owned(),
            env: self.environment,
            stdin: if carries_prompt {
                Stdin::Null
            } else {
                Stdin::Bytes(self.prompt.as_bytes().to_vec())
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
