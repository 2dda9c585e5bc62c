//! `pause`, `stop`, `abort` and `step`: what a person does to a run, whichever process drives it.

use signoff_api::request::RequestKind;
use signoff_runtime::SystemClock;
use signoff_runtime::project::Project;
use signoff_runtime::runs::control::{RequestOutcome, ask};
use signoff_runtime::runs::view::RunView;

use crate::args::StepCommand;
use crate::failure::{Failure, no_step};
use crate::report::style::{CARE, GOOD, harmless, paint};
use crate::session::Session;
use crate::shell_words::quoted;

pub(crate) fn pause(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let (project, view) = found(session, run)?;
    let id = view.run.id();
    let line = match ask(&project, id, RequestKind::Pause, &SystemClock::new())? {
        RequestOutcome::There => format!(
            "{} run {id}: nothing new starts, what is under way ends and is judged; then `signoff resume {id}` goes on",
            paint(GOOD, "pausing")
        ),
        RequestOutcome::Here | RequestOutcome::Idle => stands_still(id),
    };
    tell(session, &project, id, &line)
}

pub(crate) fn stop(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let (project, view) = found(session, run)?;
    let id = view.run.id();
    let line = match ask(&project, id, RequestKind::Stop, &SystemClock::new())? {
        RequestOutcome::There => format!(
            "{} run {id} and ended its agents; `signoff resume {id}` goes on",
            paint(GOOD, "stopped")
        ),
        RequestOutcome::Here | RequestOutcome::Idle => stands_still(id),
    };
    tell(session, &project, id, &line)
}

pub(crate) fn abort(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    session.require_person("give a run up")?;
    let (project, view) = found(session, run)?;
    let id = view.run.id();
    ask(&project, id, RequestKind::Abort, &SystemClock::new())?;
    let line = format!(
        "{} run {id}: it has failed; `signoff resume {id}` would take it up again, `signoff retry {}` begins from scratch",
        paint(GOOD, "aborted"),
        harmless(&quoted(&view.key)),
    );
    let line = match view.branch() {
        Some(branch) => {
            format!("{line}; its worktrees and `{branch}` stay until `signoff undo {id}`")
        }
        None => line,
    };
    tell(session, &project, id, &line)
}

pub(crate) fn step(session: &mut Session, command: &StepCommand) -> Result<u8, Failure> {
    let of = command.of();
    let step = of.step.clone();
    let (word, what) = match command {
        StepCommand::Retry { hint, .. } => {
            session.require_person("have a step tried again")?;
            let hint = hint.clone();
            ("tries", RequestKind::RetryStep { step, hint })
        }
        StepCommand::Skip { .. } => {
            session.require_person("skip a step")?;
            ("skips", RequestKind::SkipStep { step })
        }
    };
    let (project, view) = found(session, Some(&of.run))?;
    // Known here already, whoever drives the run: a slip of the fingers is no conflict.
    if view.run.position(&of.step).is_none() {
        let steps = view.run.steps().map(|(step, _)| step.id.as_str());
        return Err(no_step(&of.step, steps));
    }
    let id = view.run.id();
    let done = ask(&project, id, what, &SystemClock::new())?;
    let next = match done {
        RequestOutcome::There => "and goes on".to_owned(),
        RequestOutcome::Here | RequestOutcome::Idle => {
            format!("when it goes on: `signoff resume {id}`")
        }
    };
    let again = if word == "tries" { " once more" } else { "" };
    let line = format!(
        "{}: run {id} {word} step `{}`{again} {next}",
        paint(GOOD, "recorded"),
        harmless(&of.step),
    );
    tell(session, &project, id, &line)
}

fn found(session: &Session, run: Option<&str>) -> Result<(Project, RunView), Failure> {
    let project = session.project()?;
    let view = RunView::find(&project, run)?;
    Ok((project, view))
}

fn stands_still(run: &str) -> String {
    format!(
        "{} drives run {run}, so it stands still; `signoff resume {run}` goes on",
        paint(CARE, "nobody")
    )
}

/// Says what became of it: in a line, or as the run is now.
fn tell(session: &mut Session, project: &Project, run: &str, line: &str) -> Result<u8, Failure> {
    if session.is_json() {
        let shape = RunView::load(project, run)?.to_api();
        session.json(&shape);
    } else {
        session.out.answer(line);
    }
    Ok(0)
}
