//! `propose`: submits a plan.

use signoff_runtime::plan_file::read_stream;
use signoff_runtime::plans::{ActorContext, propose_path, propose_text};

use super::print_report;
use crate::agent_check::actor;
use crate::args::Propose;
use crate::failure::Failure;
use crate::plan_paths::is_stdin;
use crate::session::Session;

pub(crate) fn propose(session: &mut Session, args: &Propose) -> Result<u8, Failure> {
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let context = ActorContext {
        project: &project,
        actor: actor(&session.process.variables),
        clock: &clock,
    };
    let done = if is_stdin(&args.path) {
        let read = read_stream(std::io::stdin().lock());
        let bytes =
            read.map_err(|error| Failure::new(6, "unreadable", format!("stdin: {error}")))?;
        propose_text(context, &bytes)
    } else {
        propose_path(context, &args.path)
    };
    let done = done.map_err(|error| super::approve::show_problems(session, error))?;
    let next = super::then_approve(&done);
    print_report(session, &done, "proposed", Some(next));
    Ok(0)
}
