//! `mcp`: serves plans to an agent's client until that closes its end.

use signoff_mcp::{Server, ServerOptions, serve_stdio};
use signoff_runtime::Error;

use crate::agent_check::is_inside_run;
use crate::args::Mcp;
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn mcp(session: &mut Session, args: &Mcp) -> Result<u8, Failure> {
    let cannot = |why: std::io::Error| Failure::new(6, "mcp", format!("cannot serve: {why}"));
    let mut process = session.process.clone();
    if let Some(project) = &args.project {
        let there = process.directory.join(project);
        let real = there.canonicalize().ok().filter(|path| path.is_dir());
        process.directory = real.ok_or_else(|| {
            let message = format!("{} is not a directory", there.display());
            Failure::new(2, "usage", message)
        })?;
    }
    let is_inside_run = is_inside_run(&process.variables);
    let server = Server::new(ServerOptions {
        process,
        program: std::env::current_exe().map_err(cannot)?,
        wording,
        is_inside_run,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    });
    serve_stdio(server.map_err(cannot)?).map_err(cannot)?;
    Ok(0)
}

/// The words of the command line for an error.
fn wording(error: Error, plan: Option<&str>) -> signoff_api::error::Error {
    let failure = Failure::from(error).naming_plan(|| plan.map(str::to_owned));
    failure.to_api()
}
