//! `log`: the events of a run, from its journal; `--follow` waits for more. `--step`: what a step's agent said and did.

use signoff_engine::{Event, RecordedEvent, Run};
use signoff_runtime::project::Project;
use signoff_runtime::runs::follow::{Follow, FollowState, TICK};
use signoff_runtime::runs::transcript::AgentLog;
use signoff_runtime::runs::view::{RunView, plan_created, streamed};

use super::control::step_named;
use crate::args::Log;
use crate::failure::Failure;
use crate::report::run::event_lines::EventLines;
use crate::report::run::transcript::transcript_text;
use crate::session::Session;
use crate::style::{DIM, paint};

pub(crate) fn log(session: &mut Session, args: &Log) -> Result<u8, Failure> {
    let project = session.project()?;
    let view = RunView::find(&project, args.run.run.as_deref())?;
    if let Some(step) = &args.step {
        return agent_log(session, &project, &view, step, args);
    }
    // Replays the run, so that each line shows the state at that time.
    let mut follow = Follow::of(&project, view.run.id())?;
    let mut lines = EventLines::default();
    let shell = project.config.contract.shell.value.as_str();
    loop {
        let then = follow.read_new(|run, recorded| {
            show(session, &mut lines, shell, run, recorded);
        })?;
        if !args.follow || then == FollowState::Over || session.out.is_closed() {
            return Ok(0);
        }
        std::thread::sleep(TICK);
    }
}

/// What the agent of one step said and did.
fn agent_log(
    session: &mut Session,
    project: &Project,
    view: &RunView,
    step: &str,
    args: &Log,
) -> Result<u8, Failure> {
    let step = step_named(&view.run, step)?;
    let log = AgentLog::find(project, view, step, args.attempt);
    if args.raw {
        let raw = log.raw()?;
        session.out.answer_lines(&String::from_utf8_lossy(&raw));
        return Ok(0);
    }
    let transcript = log.transcript(project.store.workspace())?;
    if session.is_json() {
        session.json(&transcript);
    } else {
        session.out.answer_lines(&transcript_text(&transcript));
    }
    Ok(0)
}

fn show(
    session: &mut Session,
    lines: &mut EventLines,
    shell: &str,
    run: &Run,
    recorded: &RecordedEvent,
) {
    let shape = streamed(run, recorded);
    if session.is_json() {
        if let Event::RunStarted { .. } = recorded.event {
            session.json(&plan_created(run, recorded, shell));
        }
        session.json(&shape);
    } else if let Some(text) = lines.line(run, recorded) {
        let time = shape.at.get(11..19).expect("a time as in RFC 3339");
        let time = time.to_owned();
        session.out.answer(format!("{}  {text}", paint(DIM, time)));
    }
}
