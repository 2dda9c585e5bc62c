//! `propose`: hands a plan in.

use std::path::Path;

use signoff_runtime::plan_file::read_stream;
use signoff_runtime::plans::{Doing, propose_file, propose_text};

use super::tell;
use crate::args::Propose;
use crate::failure::Failure;
use crate::inside::actor;
use crate::plan_paths::is_stdin;
use crate::session::Session;

pub(crate) fn propose(session: &mut Session, args: &Propose) -> Result<u8, Failure> {
    let project = session.project()?;
    let clock = signoff_runtime::SystemClock::new();
    let doing = Doing {
        project: &project,
        actor: actor(&session.around.variables),
        clock: &clock,
    };
    let text = request(session, &args.path)?;
    let done = match text {
        Some(bytes) => propose_text(doing, &bytes),
        None => {
            let full = session.around.directory.join(&args.path);
            propose_file(doing, &full, &args.path.display().to_string())
        }
    };
    let done = done.map_err(|error| super::super::approve::shown(session, error))?;
    let next = super::then_approve(&done);
    tell(session, &done, "proposed", Some(next));
    Ok(0)
}

/// What is kept as a new plan: what comes from stdin, and a JSON proposal, which is not a plan file.
fn request(session: &Session, path: &Path) -> Result<Option<Vec<u8>>, Failure> {
    if is_stdin(path) {
        let read = read_stream(std::io::stdin().lock());
        let bytes =
            read.map_err(|error| Failure::new(6, "unreadable", format!("stdin: {error}")))?;
        return Ok(Some(bytes));
    }
    let full = session.around.directory.join(path);
    if full.is_dir() {
        return Ok(None);
    }
    Ok(signoff_runtime::plans::read_request(&full)?)
}
