//! Starts a run of an approved plan in a process that does not depend on this one.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use signoff_sandbox::{DetachedCommand, start_detached};
use signoff_store::lock::is_held;

use crate::error::Error;
use crate::project::{Project, random};

/// How long a run may take to begin: it takes its locks and makes its first tree.
const PATIENCE: Duration = Duration::from_mins(1);
/// How often to look whether it has begun.
const TICK: Duration = Duration::from_millis(5);
/// Bytes of a process's output that are read to learn why it ended.
const LONGEST: u64 = 1 << 20;

/// A run that goes on by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaunchedRun {
    /// Its name.
    pub run: String,
    /// Where its process writes its events.
    pub output: PathBuf,
}

/// On whose behalf a run is started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaunchedBy {
    /// The process acts for an agent, whoever started this one: it starts what is signed and nothing else.
    Agent,
    /// A person who signed in.
    Person,
}

/// Starts `PROGRAM run PLAN` and waits until the run has begun, or its process has ended without one.
pub fn launch_run(
    project: &Project,
    program: &Path,
    plan: &str,
    by: LaunchedBy,
) -> Result<LaunchedRun, Error> {
    launch(project, program, ["run", plan], &[], by)
}

/// The same with options of `run`.
pub fn launch_run_with(
    project: &Project,
    program: &Path,
    plan: &str,
    options: &[String],
    by: LaunchedBy,
) -> Result<LaunchedRun, Error> {
    launch(project, program, ["run", plan], options, by)
}

/// Starts `PROGRAM resume RUN` and waits until it goes on, or its process has ended.
pub fn launch_resume(
    project: &Project,
    program: &Path,
    run: &str,
    by: LaunchedBy,
) -> Result<LaunchedRun, Error> {
    launch(project, program, ["resume", run], &[], by)
}

fn launch(
    project: &Project,
    program: &Path,
    [command, name]: [&str; 2],
    options: &[String],
    by: LaunchedBy,
) -> Result<LaunchedRun, Error> {
    // The command would take it for an option.
    let plan = if name.starts_with('-') {
        &format!("./{name}")
    } else {
        name
    };
    project.store.create_missing()?;
    let log = format!("launch-{:08x}.log", random());
    let log = project.store.runs_dir().join(log);
    let failed = |why: io::Error| Error::NotLaunched {
        plan: plan.to_owned(),
        why: why.to_string(),
        said: None,
    };
    let output = private_file(&log).map_err(failed)?;
    let mut env = project.process.variables.clone();
    if by == LaunchedBy::Agent {
        env.insert("AI_AGENT".into(), "signoff mcp".into());
    }
    let started = start_detached(DetachedCommand {
        argv: [program.as_os_str(), command.as_ref(), plan.as_ref()]
            .into_iter()
            .chain(options.iter().map(AsRef::as_ref))
            .chain(["--format", "json"].map(AsRef::as_ref))
            .map(OsString::from)
            .collect(),
        cwd: project.process.directory.clone(),
        env: env.into_iter().collect(),
        output,
    });
    let begun = match started {
        Ok(()) => wait_for_run(&log, plan),
        Err(why) => Err(failed(why)),
    };
    match begun {
        Ok(run) => {
            let kept = project.store.run_dir(&run).path().join("output.jsonl");
            let output = match std::fs::rename(&log, &kept) {
                Ok(()) => kept,
                Err(_) => log,
            };
            Ok(LaunchedRun { run, output })
        }
        Err(error) => {
            // The error contains its output.
            std::fs::remove_file(&log).ok();
            Err(error)
        }
    }
}

/// A new file that is locked as long as anybody has it open as we do.
fn private_file(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new()
        .append(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.lock()?;
    Ok(file)
}

/// The name of the run, as soon as its process has said it.
fn wait_for_run(log: &Path, plan: &str) -> Result<String, Error> {
    let asked = Instant::now();
    loop {
        // Read before the output: a process that has ended has written all.
        let is_running = is_held(log).unwrap_or(true);
        let said = read_beginning(log);
        if let Some(run) = said.lines().find_map(run_in_event) {
            return Ok(run);
        }
        if !is_running || asked.elapsed() > PATIENCE {
            return Err(Error::NotLaunched {
                plan: plan.to_owned(),
                why: reason(&said, is_running),
                said: said.lines().find_map(error_in_line).map(Box::new),
            });
        }
        std::thread::sleep(TICK);
    }
}

fn read_beginning(log: &Path) -> String {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(log) {
        file.take(LONGEST).read_to_end(&mut bytes).ok();
    }
    // An unfinished last line is read next time.
    let whole = bytes.iter().rposition(|byte| *byte == b'\n');
    let whole = bytes.get(..whole.map_or(0, |at| at + 1));
    String::from_utf8_lossy(whole.unwrap_or_default()).into_owned()
}

/// The run that an event is of.
fn run_in_event(line: &str) -> Option<String> {
    let event: Value = serde_json::from_str(line).ok()?;
    let is_event = event.get("schema")?.as_str()? == signoff_api::event::SCHEMA;
    let run = event.get("run")?.as_str()?;
    is_event.then(|| run.to_owned())
}

/// Why the process ended, as it said itself.
fn error_in_line(line: &str) -> Option<signoff_api::error::Error> {
    let error: signoff_api::error::Error = serde_json::from_str(line).ok()?;
    (error.schema == signoff_api::error::SCHEMA).then_some(error)
}

fn reason(said: &str, is_running: bool) -> String {
    if is_running {
        return format!("it has not begun after {} s", PATIENCE.as_secs());
    }
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    match last {
        Some(line) => format!("its process ended: {}", line.trim()),
        None => "its process ended without a word".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_run_is_named_by_its_first_event_and_a_refusal_by_its_error() {
        let event = r#"{"schema":"signoff.event/1","run":"20261115-093012-k3f9","seq":0,"type":"plan_created"}"#;
        assert_eq!(run_in_event(event).as_deref(), Some("20261115-093012-k3f9"));
        for other in [
            "",
            "note: x",
            r#"{"run":"a"}"#,
            r#"{"schema":"x","run":"a"}"#,
        ] {
            assert_eq!(run_in_event(other), None, "{other}");
        }
        let error = signoff_api::error::Error::new("state", "it runs", Vec::new(), Vec::new());
        let line = serde_json::to_string(&error).unwrap();
        assert_eq!(error_in_line(&line), Some(error));
        assert_eq!(error_in_line(event), None);
    }

    #[test]
    fn only_whole_lines_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        for (written, read) in [("", ""), ("a", ""), ("a\nb", "a\n"), ("a\nb\n", "a\nb\n")] {
            std::fs::write(&log, written).unwrap();
            assert_eq!(read_beginning(&log), read);
        }
    }
}
