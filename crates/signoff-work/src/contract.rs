//! Runs a contract: in the tree, in an environment no agent can write to, with a time limit.

mod plain;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use signoff_sandbox::{Command, Limits, Stdin};

use self::plain::parse_plain;

/// Bytes of each stream that conditions are judged on.
const KEPT: u64 = 1024 * 1024;
const LOGGED: u64 = 64 * 1024 * 1024;

/// One run of a contract.
#[derive(Debug)]
pub struct Evaluation<'a> {
    pub command: &'a str,
    pub shell: &'a str,
    pub tree: &'a Path,
    pub environment: Vec<(OsString, OsString)>,
    pub marker: String,
    pub time: Duration,
    pub log: PathBuf,
}

impl Evaluation<'_> {
    /// The process to start: the contract's text is handed over whole, never templated; or what the
    /// shell would start in its own place, if that is plain to see.
    pub fn into_command(self) -> Command {
        let plain = parse_plain(self.command, self.shell, self.tree, &self.environment);
        let (argv, env) = plain.unwrap_or_else(|| {
            let argv = vec![self.shell.into(), "-c".into(), self.command.into()];
            (argv, self.environment)
        });
        Command {
            argv,
            cwd: self.tree.to_owned(),
            env,
            stdin: Stdin::Null,
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
