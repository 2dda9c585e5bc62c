//! `log`: the events of a run, from its journal; `--follow` waits for more. `--step`: what a step's agent said and did.

use signoff_engine::{Event, RecordedEvent, Run};
use signoff_plan::model::Work;
use signoff_runtime::project::Project;
use signoff_runtime::runs::follow::{Follow, FollowState, TICK};
use signoff_runtime::runs::transcript::AgentLog;
use signoff_runtime::runs::view::{RunView, plan_created, stream_event};

use super::control::step_named;
use crate::args::Log;
use crate::failure::Failure;
use crate::report::run::event_lines::EventLines;
use crate::report::run::transcript::transcript_text;
use crate::session::Session;
use crate::style::{DIM, paint, sanitize};

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
    let log = log.ok_or_else(|| no_attempt(view, step, args.attempt))?;
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

/// No agent made the attempt that was asked for.
fn no_attempt(view: &RunView, step: &str, attempt: Option<u32>) -> Failure {
    let found = view.run.position(step).and_then(|at| view.run.step(at));
    let attempts = found.map_or(0, |(_, state)| state.attempts);
    let is_agents = found.is_some_and(|(step, _)| matches!(step.work, Work::Agent { .. }));
    let step = sanitize(step);
    let what = match attempt {
        _ if !is_agents => format!("step `{step}` has no agent"),
        Some(attempt) if attempts > 0 => format!("step `{step}` has no attempt {attempt}"),
        _ => format!("no agent has worked on step `{step}` in this run"),
    };
    let failure = Failure::new(2, "no-attempt", what);
    match attempts {
        0 => failure.hint("`signoff status` shows how far the run is"),
        _ if !is_agents => {
            failure.hint("`signoff log` shows its calls and contracts, with where their output is")
        }
        count => failure.hint(format!(
            "it has {count}; without `--attempt` the last one is shown"
        )),
    }
}

fn show(
    session: &mut Session,
    lines: &mut EventLines,
    shell: &str,
    run: &Run,
    recorded: &RecordedEvent,
) {
    let shape = stream_event(run, recorded);
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
