//! `revise`: submits a new version of a plan.

use signoff_runtime::plan_file::{read_source, read_stream};
use signoff_runtime::plans::{ActorContext, Revision};

use super::{locate, tell};
use crate::agent_check::actor;
use crate::args::Revise;
use crate::failure::Failure;
use crate::plan_paths::is_stdin;
use crate::session::Session;

pub(crate) fn revise(session: &mut Session, args: &Revise) -> Result<u8, Failure> {
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let context = ActorContext {
        project: &project,
        actor: actor(&session.process.variables),
        clock: &clock,
    };
    let (path, name) = locate(&project, &args.plan.plan)?;
    let revision = revision(session, args)?;
    let done =
        signoff_runtime::plans::revise(context, &path, &name, &revision, args.expect_version);
    let done = done.map_err(|error| super::approve::show_problems(session, error))?;
    let next = super::then_approve(&done);
    tell(session, &done, "revised", Some(next));
    Ok(0)
}

fn revision(session: &Session, args: &Revise) -> Result<Revision, Failure> {
    let Some(path) = &args.with else {
        return Ok(Revision::InPlace);
    };
    if is_stdin(path) {
        let read = read_stream(std::io::stdin().lock());
        let bytes =
            read.map_err(|error| Failure::new(6, "unreadable", format!("stdin: {error}")))?;
        return Ok(Revision::Text(bytes));
    }
    let full = session.process.directory.join(path);
    let source = read_source(&full, &path.display().to_string())?;
    Ok(Revision::Text(source.bytes().to_vec()))
}
