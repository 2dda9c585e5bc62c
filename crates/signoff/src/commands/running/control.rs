//! `replan`, `pause`, `stop`, `abort` and `step`: act on a run, whichever process drives it.

use signoff_api::request::RequestKind;
use signoff_engine::Run;
use signoff_plan::model::Step;
use signoff_runtime::SystemClock;
use signoff_runtime::live::RunOptions;
use signoff_runtime::project::Project;
use signoff_runtime::runs::control::{RequestOutcome, ask};
use signoff_runtime::runs::names::steps_containing;
use signoff_runtime::runs::view::RunView;

use crate::args::{Replan, StepCommand};
use crate::commands::running::resume::resume;
use crate::failure::{Failure, ambiguous_name, no_step};
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, GOOD, paint, sanitize};

pub(crate) fn pause(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let (project, view) = open_run(session, run)?;
    let id = view.run.id();
    let line = match ask(&project, id, RequestKind::Pause, &SystemClock::new())? {
        RequestOutcome::There => format!(
            "{} run {id}: nothing new starts, and the current work ends and is judged; `signoff resume {id}` continues",
            paint(GOOD, "pausing")
        ),
        RequestOutcome::Here | RequestOutcome::Idle => not_driven(id),
    };
    print_run(session, &project, id, &line)
}

pub(crate) fn stop(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let (project, view) = open_run(session, run)?;
    let id = view.run.id();
    let line = match ask(&project, id, RequestKind::Stop, &SystemClock::new())? {
        RequestOutcome::There => format!(
            "{} run {id} and its agents; `signoff resume {id}` continues",
            paint(GOOD, "stopped")
        ),
        RequestOutcome::Here | RequestOutcome::Idle => not_driven(id),
    };
    print_run(session, &project, id, &line)
}

pub(crate) fn abort(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    session.require_person("abort a run")?;
    let (project, view) = open_run(session, run)?;
    let id = view.run.id();
    ask(&project, id, RequestKind::Abort, &SystemClock::new())?;
    let line = format!(
        "{} run {id}: it has failed; `signoff resume {id}` continues it, `signoff retry {}` starts from scratch",
        paint(GOOD, "aborted"),
        sanitize(&shell_word(&view.key)),
    );
    let line = match view.branch() {
        Some(branch) => {
            format!("{line}; its trees and `{branch}` stay until `signoff undo {id}`")
        }
        None => line,
    };
    print_run(session, &project, id, &line)
}

pub(crate) fn replan(session: &mut Session, args: &Replan) -> Result<u8, Failure> {
    session.require_person("replan a run")?;
    let (project, view) = open_run(session, args.run.run.as_deref())?;
    let id = view.run.id();
    let what = RequestKind::Replan {
        because: args.because.clone(),
        discoveries: args.discoveries.clone(),
        expands: false,
    };
    let done = ask(&project, id, what, &SystemClock::new())?;
    if args.resume && done != RequestOutcome::There {
        return resume(session, Some(id), &RunOptions::default());
    }
    let next = match done {
        RequestOutcome::There => "once the current work has been judged".to_owned(),
        RequestOutcome::Here | RequestOutcome::Idle => {
            format!("when it continues: `signoff resume {id}`")
        }
    };
    let line = format!(
        "{}: run {id} has another version of its plan drafted {next}",
        paint(GOOD, "recorded")
    );
    print_run(session, &project, id, &line)
}

pub(crate) fn step(session: &mut Session, command: &StepCommand) -> Result<u8, Failure> {
    let args = command.step_arg();
    session.require_person(match command {
        StepCommand::Retry { .. } => "retry a step",
        StepCommand::Skip { .. } => "skip a step",
    })?;
    let (project, view) = open_run(session, Some(&args.run))?;
    // Checked here, whichever process drives the run: a typing error is not a conflict.
    let step = step_named(&view.run, &args.step)?.to_owned();
    let (word, what) = match command {
        StepCommand::Retry { hint, .. } => {
            let (step, hint) = (step.clone(), hint.clone());
            ("tries", RequestKind::RetryStep { step, hint })
        }
        StepCommand::Skip { .. } => {
            let step = step.clone();
            ("skips", RequestKind::SkipStep { step })
        }
    };
    let id = view.run.id();
    let done = ask(&project, id, what, &SystemClock::new())?;
    let next = match done {
        RequestOutcome::There => "and continues".to_owned(),
        RequestOutcome::Here | RequestOutcome::Idle => {
            format!("when it continues: `signoff resume {id}`")
        }
    };
    let again = if word == "tries" { " once more" } else { "" };
    let line = format!(
        "{}: run {id} {word} step `{}`{again} {next}",
        paint(GOOD, "recorded"),
        sanitize(&step),
    );
    print_run(session, &project, id, &line)
}

/// The id of a step that was named by its id, by its number as tables show it, or by a part of its id that no other has.
pub(super) fn step_named<'r>(run: &'r Run, name: &str) -> Result<&'r str, Failure> {
    let by_id = run.position(name).and_then(|at| run.step(at));
    let number = |step: &Step| step.number.to_string() == name;
    let by_number = || {
        run.steps()
            .find(|(step, state)| state.item.is_none() && number(step))
    };
    if let Some((step, _)) = by_id.or_else(by_number) {
        return Ok(&step.id);
    }
    let alike = steps_containing(run, name);
    match alike[..] {
        [one] => Ok(one),
        [_, _, ..] => Err(ambiguous_name(name, &alike)),
        [] => Err(no_step(name, run.steps().map(|(step, _)| step.id.as_str()))),
    }
}

fn open_run(session: &Session, run: Option<&str>) -> Result<(Project, RunView), Failure> {
    let project = session.project()?;
    let view = RunView::find(&project, run)?;
    Ok((project, view))
}

fn not_driven(run: &str) -> String {
    format!(
        "{} drives run {run}; `signoff resume {run}` continues it",
        paint(CARE, "no process")
    )
}

/// Prints the line, or the run as JSON.
fn print_run(
    session: &mut Session,
    project: &Project,
    run: &str,
    line: &str,
) -> Result<u8, Failure> {
    if session.is_json() {
        let shape = RunView::load(project, run)?.to_api();
        session.json(&shape);
    } else {
        session.out.answer(line);
    }
    Ok(0)
}
