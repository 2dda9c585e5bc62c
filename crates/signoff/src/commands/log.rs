//! `log`: what happened in a run, from its journal.

use signoff_runtime::view::{View, streamed};

use crate::failure::Failure;
use crate::report::line::line;
use crate::report::style::{DIM, paint};
use crate::session::Session;

pub(crate) fn log(session: &mut Session, run: Option<&str>) -> Result<u8, Failure> {
    let project = session.project()?;
    let view = View::find(&project, run)?;
    // Replayed, so that each line shows the state as it was then.
    view.replay(|state, recorded| {
        let shape = streamed(state, recorded);
        if session.is_json() {
            session.json(&shape);
        } else if let Some(text) = line(state, recorded) {
            let time = shape.at.get(11..19).unwrap_or_default().to_owned();
            session.out.answer(format!("{}  {text}", paint(DIM, time)));
        }
    });
    Ok(0)
}
