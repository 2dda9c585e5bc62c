//! Commands of the person's own that print a secret.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use signoff_sandbox::{Command, ExitStatus, Limits, Sandbox, Stdin};
use signoff_work::environment::path_outside;

use super::Project;

/// How long a command may take: it may ask the person.
const TIME: Duration = Duration::from_mins(1);
/// Bytes of a secret.
const LONGEST: u64 = 16 * 1024;

/// What the command prints, on one line; or why there is none.
pub(crate) fn printed_secret(project: &Project, command: &[String]) -> Result<String, String> {
    let workspace = project.store.workspace();
    // The person's own program. It is not looked up in anything that agents write.
    let mut variables = project.process.variables.clone();
    let path = path_outside(&project.process.path(), workspace);
    variables.insert("PATH".into(), path);
    let home = variables.get(OsStr::new("HOME")).cloned();
    let command = Command {
        argv: command.iter().map(OsString::from).collect(),
        cwd: home.unwrap_or_else(|| "/".into()).into(),
        env: variables.into_iter().collect(),
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(TIME),
            output: LONGEST,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    };
    let sandbox = Sandbox::new().map_err(|why| why.to_string())?;
    let report = sandbox.run(command).map_err(|why| why.to_string())?;
    if report.status != ExitStatus::Exited(0) {
        // What it printed may be half a secret.
        return Err("it did not succeed".to_owned());
    }
    let text = report.stdout.text();
    let secret = text.trim();
    if secret.is_empty() || secret.lines().count() != 1 {
        return Err("it must print the key, on one line".to_owned());
    }
    Ok(secret.to_owned())
}
