//! `propose`: submits a plan.

use std::path::Path;

use signoff_runtime::plan_file::read_stream;
use signoff_runtime::plans::{ActorContext, propose_file, propose_text};

use super::tell;
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
    let text = request(session, &args.path)?;
    let done = match text {
        Some(bytes) => propose_text(context, &bytes),
        None => {
            let full = session.process.directory.join(&args.path);
            propose_file(context, &full, &args.path.display().to_string())
        }
    };
    let done = done.map_err(|error| super::approve::show_problems(session, error))?;
    let next = super::then_approve(&done);
    tell(session, &done, "proposed", Some(next));
    Ok(0)
}

/// The text to store as a new plan: from stdin, or a JSON proposal, which is not a plan file.
fn request(session: &Session, path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    if is_stdin(path) {
        let read = read_stream(std::io::stdin().lock());
        let bytes =
            read.map_err(|error| Failure::new(6, "unreadable", format!("stdin: {error}")))?;
        return Ok(Some(bytes));
    }
    let full = session.process.directory.join(path);
    if full.is_dir() {
        return Ok(None);
    }
    Ok(signoff_runtime::plans::read_request(&full)?)
}
