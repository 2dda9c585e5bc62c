//! `resume`: goes on where the journal ends.

use signoff_engine::Outcome;
use signoff_runtime::Error;
use signoff_runtime::live::{Live, Options};
use signoff_runtime::view::View;

use crate::commands::run::drive;
use crate::failure::{Failure, among};
use crate::inside::actor;
use crate::session::Session;

pub(crate) fn resume(
    session: &mut Session,
    run: Option<&str>,
    options: &Options,
) -> Result<u8, Failure> {
    let project = session.project()?;
    let view = View::find(&project, run)?;
    if view.run.outcome() == Some(Outcome::Failed) {
        session.require_person("let a failed run go on")?;
    }
    let clock = signoff_runtime::SystemClock::new();
    let live = Live::resume(
        &project,
        view.run.id(),
        actor(&session.around.variables),
        options,
        &clock,
    );
    let live = live.map_err(|error| refused(error, &view))?;
    drive(session, &project, live)
}

fn refused(error: Error, view: &View) -> Failure {
    let steps = view.run.steps().map(|(step, _)| step.id.as_str());
    match error {
        // It is no other run that works here.
        Error::WorkspaceTaken {
            holder: Some(holder),
        } if holder.run.as_deref() == Some(view.run.id()) => Error::RunTaken {
            run: view.run.id().to_owned(),
            holder: Some(holder),
        }
        .into(),
        error => among(error, steps),
    }
}
