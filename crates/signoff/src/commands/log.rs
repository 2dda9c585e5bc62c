//! `log`: what happened in a run, from its journal, and with `--follow` what happens in it.

use signoff_engine::{RecordedEvent, Run};
use signoff_runtime::runs::follow::{Follow, FollowState, TICK};
use signoff_runtime::runs::view::{RunView, streamed};

use crate::args::Log;
use crate::failure::Failure;
use crate::report::lines::Lines;
use crate::report::style::{DIM, paint};
use crate::session::Session;

pub(crate) fn log(session: &mut Session, args: &Log) -> Result<u8, Failure> {
    let project = session.project()?;
    let view = RunView::find(&project, args.run.run.as_deref())?;
    // Replayed, so that each line shows the state as it was then.
    let mut follow = Follow::of(&project, view.run.id())?;
    let mut lines = Lines::default();
    loop {
        let then = follow.look(|run, recorded| show(session, &mut lines, run, recorded))?;
        if !args.follow || then == FollowState::Over || session.out.is_unheard() {
            return Ok(0);
        }
        std::thread::sleep(TICK);
    }
}

fn show(session: &mut Session, lines: &mut Lines, run: &Run, recorded: &RecordedEvent) {
    let shape = streamed(run, recorded);
    if session.is_json() {
        session.json(&shape);
    } else if let Some(text) = lines.line(run, recorded) {
        let time = shape.at.get(11..19).unwrap_or_default().to_owned();
        session.out.answer(format!("{}  {text}", paint(DIM, time)));
    }
}
