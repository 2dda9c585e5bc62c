//! `stats`: statistics about the plans of a store.

use signoff_runtime::SystemClock;
use signoff_runtime::plans::ActorContext;

use crate::agent_check::actor;
use crate::commands::sign::list::say_troubles;
use crate::failure::Failure;
use crate::report::stats::stats_lines;
use crate::session::Session;

pub(crate) fn stats(session: &mut Session) -> Result<u8, Failure> {
    let project = session.project()?;
    let context = ActorContext {
        project: &project,
        actor: actor(&session.process.variables),
        clock: &SystemClock::new(),
    };
    let (stats, troubles) = signoff_runtime::plans::stats(context)?;
    let code = say_troubles(session, troubles);
    if session.is_json() {
        session.json(&stats);
        return Ok(code);
    }
    for line in stats_lines(&stats) {
        session.out.answer(line);
    }
    Ok(code)
}
