//! `run_command`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use signoff_sandbox::{Command, CommandReport, ExitStatus, Limits as Uses, Sandbox, Stdin};

use super::workspace::{FinalLink, MissingDirectories, Workspace};
use crate::call::{CallError, Limits};
use crate::confine::Confined;

/// Bytes of each stream that a result holds: the beginning and the end.
const KEPT: u64 = 1024 * 1024;
const LOGGED: u64 = 64 * 1024 * 1024;
/// Bytes of the output that a failure quotes.
const QUOTED: usize = 2_000;

#[derive(Deserialize)]
pub(super) struct RunCommandArguments {
    command: String,
    cwd: Option<String>,
    timeout_seconds: Option<u64>,
    #[serde(default)]
    any_exit_code: bool,
}

/// What a command is run with.
pub(super) struct CommandContext<'a> {
    pub(super) sandbox: &'a Sandbox,
    pub(super) shell: &'a str,
    pub(super) environment: Vec<(OsString, OsString)>,
    pub(super) confined: Option<Confined>,
    /// Where the command finds the workspace, if that is elsewhere.
    pub(super) shown_at: Option<&'a Path>,
    pub(super) marker: String,
    pub(super) log: Option<PathBuf>,
}

pub(super) fn run_command(
    workspace: &Workspace,
    args: RunCommandArguments,
    context: CommandContext<'_>,
    limits: &Limits<'_>,
) -> Result<Value, CallError> {
    let at = context.shown_at.unwrap_or_else(|| workspace.path());
    let cwd = match &args.cwd {
        Some(path) => {
            let spot = workspace.find(path, FinalLink::Target, MissingDirectories::Refuse)?;
            let real = at.join(&spot.real);
            // It must be a directory; the command itself may go wherever its sandbox lets it.
            drop(spot.open_directory()?);
            real
        }
        None => at.to_owned(),
    };
    let limits = limits.at_most(args.timeout_seconds.map(Duration::from_secs));
    let mut env = context.environment;
    let confined = context.confined;
    let policy = confined.map(|confined| confined.into_policy(&mut env));
    let command = Command {
        argv: vec![context.shell.into(), "-c".into(), args.command.into()],
        cwd,
        env,
        stdin: Stdin::Null,
        marker: Some(context.marker),
        limits: Uses {
            time: Some(limits.time),
            output: KEPT,
            log: LOGGED,
        },
        log: context.log,
        policy,
        mounts: None,
    };
    let started = context.sandbox.hold(command).and_then(|held| {
        // Stopped before it began is stopped at no cost.
        if limits.stop.is_raised() {
            return Ok(None);
        }
        held.release().map(Some)
    });
    let running = match started {
        Ok(Some(running)) => running,
        Ok(None) => return Err(CallError::Stopped),
        Err(error) => return Err(CallError::lasting(error.to_string())),
    };
    let stopper = running.stopper();
    let listening = limits.stop.when_raised(move || stopper.stop());
    let ended = running.wait();
    drop(listening);
    result(&ended, args.any_exit_code, &limits)
}

fn result(
    ended: &CommandReport,
    any_exit_code: bool,
    limits: &Limits<'_>,
) -> Result<Value, CallError> {
    let quoted = || {
        let streams = [&ended.stderr, &ended.stdout].map(|stream| stream.tail(QUOTED));
        let said = streams.into_iter().find(|text| !text.trim().is_empty());
        said.map_or_else(String::new, |text| format!(": {}", text.trim()))
    };
    match ended.status {
        ExitStatus::Exited(code) if code == 0 || any_exit_code => Ok(json!({
            "exit_code": code,
            "stdout": ended.stdout.text(),
            "stderr": ended.stderr.text(),
        })),
        ExitStatus::Exited(code) => {
            let message = format!("the command exited with {code}{}", quoted());
            Err(CallError::lasting(message))
        }
        ExitStatus::Signaled(signal) => {
            let message = format!("the command was ended by signal {signal}{}", quoted());
            Err(CallError::lasting(message))
        }
        ExitStatus::TimedOut => Err(limits.too_long()),
        ExitStatus::Stopped => Err(CallError::Stopped),
    }
}
