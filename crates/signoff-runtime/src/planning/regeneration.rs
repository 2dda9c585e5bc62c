//! A planner rewrites a plan in a process of its own: it may take minutes, and the client that asked may be gone by
//! then.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use signoff_api::error::Error as ApiError;
use signoff_api::plan_ref::PlanRef;
use signoff_api::regeneration::{Regeneration, RegenerationState, SCHEMA};
use signoff_sandbox::{DetachedCommand, start_detached};
use signoff_store::key;

use super::revision::{RevisionOptions, revision_context};
use crate::clock::timestamp;
use crate::error::{Error, PlanningError};
use crate::plan_file::PlanFile;
use crate::plans::{ActorContext, NewComment, comment, expect_digest};
use crate::project::Project;
use crate::project::locks::is_driven;

/// Bytes of a process's output that are read.
const LONGEST: u64 = 1 << 20;
/// Lines of it that are shown: the last ones.
const SHOWN: usize = 200;

/// What is asked of the planner.
#[derive(Debug, Clone, Default)]
pub struct RegenerationOptions {
    /// Id or number of the only step that may change.
    pub step: Option<String>,
    /// What the person says. It stands in the plan's log, as any comment.
    pub comment: Option<String>,
    /// Refuse unless the digest begins with this.
    pub expect_digest: Option<String>,
}

/// The first line of the output: who asked for what.
#[derive(Debug, Default, Serialize, Deserialize)]
struct RegenerationRequest {
    step: Option<String>,
    comment: Option<String>,
    by: String,
    at: String,
}

/// Starts `PROGRAM revise PLAN --plan` and does not wait for it. One plan has one planner at a time.
pub fn start_regeneration(
    context: ActorContext<'_>,
    program: &Path,
    plan: &PlanFile,
    options: &RegenerationOptions,
) -> Result<Regeneration, Error> {
    let project = context.project;
    if let Some(expected) = &options.expect_digest {
        expect_digest(expected, &plan.digest())?;
    }
    let wanted = RevisionOptions {
        step: options.step.clone(),
        feedback: options.comment.clone(),
    };
    // Report now whatever prevents the planner from it.
    let told = revision_context(context, plan, &wanted)?;
    let step = told.revision.and_then(|revision| revision.step);
    project.store.create_missing()?;
    let mut output = claim(&output_path(project, &plan.key(project)?))?;
    add_comment(context, plan, step.as_deref(), options)?;
    let asked = RegenerationRequest {
        step,
        comment: options.comment.clone(),
        by: project.process.person.clone(),
        at: timestamp(context.clock.now()),
    };
    begin(&mut output, &asked)
        .and_then(|()| start_detached(command(project, program, plan, &asked, output)))
        .map_err(|why| PlanningError::NotStarted {
            why: why.to_string(),
        })?;
    regeneration(project, plan)
}

/// The comment, where everybody sees why the plan changed.
fn add_comment(
    context: ActorContext<'_>,
    plan: &PlanFile,
    step: Option<&str>,
    options: &RegenerationOptions,
) -> Result<(), Error> {
    let Some(text) = &options.comment else {
        return Ok(());
    };
    let new = NewComment {
        step: step.map(str::to_owned),
        text: text.clone(),
        ..NewComment::default()
    };
    comment(context, &plan.path, plan.source.name(), &[new]).map(drop)
}

fn command(
    project: &Project,
    program: &Path,
    plan: &PlanFile,
    asked: &RegenerationRequest,
    output: File,
) -> DetachedCommand {
    let mut argv: Vec<OsString> = vec![program.into(), "revise".into(), "--plan".into()];
    if let Some(step) = &asked.step {
        argv.push(format!("--step={step}").into());
    }
    argv.extend(["--format", "json", "--"].map(OsString::from));
    argv.push(plan.source.name().into());
    let variables = project.process.variables.clone();
    DetachedCommand {
        argv,
        cwd: project.process.directory.clone(),
        env: variables.into_iter().collect(),
        output,
    }
}

/// The output of the process of this plan's planner. It is locked as long as that runs.
fn output_path(project: &Project, plan: &str) -> PathBuf {
    let name = format!("planner-{}.log", key::encode(plan));
    project.store.runs_dir().join(name)
}

/// The locked output of a process that is about to start.
fn claim(path: &Path) -> Result<File, Error> {
    let not_started = |why: io::Error| PlanningError::NotStarted {
        why: why.to_string(),
    };
    let mut options = OpenOptions::new();
    let file = options.append(true).create(true).mode(0o600).open(path);
    let file = file.map_err(not_started)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(PlanningError::UnderWay.into()),
        Err(TryLockError::Error(why)) => Err(not_started(why).into()),
    }
}

fn begin(output: &mut File, asked: &RegenerationRequest) -> io::Result<()> {
    output.set_len(0)?;
    let line = serde_json::to_string(asked)?;
    writeln!(output, "{line}")
}

/// How far the planner is with a plan, or how it ended the last time.
pub fn regeneration(project: &Project, plan: &PlanFile) -> Result<Regeneration, Error> {
    let key = plan.key(project)?;
    let path = output_path(project, &key);
    // Read before the output: a process that has ended has written all.
    let is_running = is_driven(&path)?;
    let mut bytes = Vec::new();
    if let Ok(file) = File::open(&path) {
        file.take(LONGEST).read_to_end(&mut bytes).ok();
    }
    Ok(of_output(
        &key,
        &String::from_utf8_lossy(&bytes),
        is_running,
    ))
}

fn of_output(plan: &str, said: &str, is_running: bool) -> Regeneration {
    let mut lines = said.lines();
    let asked = lines
        .next()
        .and_then(|line| serde_json::from_str::<RegenerationRequest>(line).ok());
    let (mut revised, mut error) = (None, None);
    let mut progress = Vec::new();
    for line in lines.filter(|line| !line.trim().is_empty()) {
        if let Ok(found) = serde_json::from_str::<PlanRef>(line) {
            revised = Some(found);
        } else if let Ok(found) = serde_json::from_str::<ApiError>(line) {
            error = Some(found);
        } else {
            progress.push(line.to_owned());
        }
    }
    let state = match (&asked, is_running) {
        (None, false) => RegenerationState::None,
        (_, true) => RegenerationState::Running,
        (Some(_), false) if revised.is_some() => RegenerationState::Done,
        (Some(_), false) => RegenerationState::Failed,
    };
    if state == RegenerationState::Failed && error.is_none() {
        let message = "the planner's process ended without an answer; the plan is as it was";
        error = Some(ApiError::new("no-answer", message, Vec::new(), Vec::new()));
    }
    let from = progress.len().saturating_sub(SHOWN);
    Regeneration {
        schema: SCHEMA.to_owned(),
        plan: plan.to_owned(),
        state,
        step: asked.as_ref().and_then(|asked| asked.step.clone()),
        comment: asked.as_ref().and_then(|asked| asked.comment.clone()),
        by: asked.as_ref().map(|asked| asked.by.clone()),
        started_at: asked.map(|asked| asked.at),
        progress: progress.split_off(from),
        revised,
        error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: &str =
        r#"{"step":"a","comment":"shorter","by":"ada","at":"2026-11-18T09:00:00Z"}"#;
    const REVISED: &str = r#"{"schema":"signoff.plan_ref/1","id":"p","status":"verified","version":2,"digest":"sha256:0","path":"p.md"}"#;
    const REFUSED: &str =
        r#"{"schema":"signoff.error/1","code":"no-agent","message":"m","details":[],"hints":[]}"#;

    #[track_caller]
    fn check(lines: &[&str], is_running: bool, state: RegenerationState) -> Regeneration {
        let found = of_output("p", &lines.join("\n"), is_running);
        assert_eq!(found.state, state, "{found:?}");
        found
    }

    #[test]
    fn the_output_of_the_process_says_how_far_it_is() {
        use RegenerationState::{Done, Failed, None, Running};
        check(&[], false, None);
        // Claimed, and nothing is written yet.
        check(&[], true, Running);
        let running = check(&[ASKED, "round 1: 2 problems, sent back"], true, Running);
        assert_eq!(running.progress, ["round 1: 2 problems, sent back"]);
        assert_eq!(running.step.as_deref(), Some("a"));
        assert_eq!(running.by.as_deref(), Some("ada"));
        // A process that has answered may still have a critic read it.
        check(&[ASKED, REVISED], true, Running);
        let done = check(&[ASKED, "round 1", REVISED], false, Done);
        assert_eq!(done.revised.map(|plan| plan.version), Some(Some(2)));
        let failed = check(&[ASKED, REFUSED], false, Failed);
        assert_eq!(
            failed.error.map(|error| error.code).as_deref(),
            Some("no-agent")
        );
        let killed = check(&[ASKED, "planning with x"], false, Failed);
        assert_eq!(
            killed.error.map(|error| error.code).as_deref(),
            Some("no-answer")
        );
    }

    #[test]
    fn only_the_end_of_much_is_shown() {
        let lines: Vec<String> = (0..1000).map(|number| format!("line {number}")).collect();
        let found = of_output("p", &format!("{ASKED}\n{}", lines.join("\n")), true);
        assert_eq!(found.progress.len(), SHOWN);
        assert_eq!(found.progress.last().map(String::as_str), Some("line 999"));
    }

    #[test]
    fn one_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("planner-p.log");
        let first = claim(&path).unwrap();
        let second = claim(&path);
        assert!(
            matches!(second, Err(Error::Planning(PlanningError::UnderWay))),
            "{second:?}"
        );
        drop(first);
        claim(&path).unwrap();
    }
}
