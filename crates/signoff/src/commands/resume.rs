//! `resume`: goes on where the journal ends.

use signoff_engine::Outcome;
use signoff_runtime::live::{Live, Options};
use signoff_runtime::view::View;

use crate::commands::run::drive;
use crate::failure::Failure;
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
    )?;
    drive(session, &project, live)
}
