//! `resume`: goes on where the journal ends.

use signoff_engine::{Actor, Outcome};
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
    let run = run.map_or_else(|| View::newest_id(&project), |run| Ok(run.to_owned()))?;
    let actor = actor(&session.around.variables);
    // The runtime refuses it anyhow; who is refused is told how that was seen.
    if actor == Actor::Agent && View::load(&project, &run)?.run.outcome() == Some(Outcome::Failed) {
        session.require_person("let a failed run go on")?;
    }
    let clock = signoff_runtime::SystemClock::new();
    let live = Live::resume(&project, &run, actor, options, &clock)?;
    drive(session, &project, live)
}
