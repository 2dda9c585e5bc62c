//! `serve`: plans for people in a browser, and for programs over HTTP, until Ctrl-C.

use std::io::Write as _;

use signoff_runtime::Error;
use signoff_server::{ServerOptions, WordedError};

use crate::agent_check::require_person;
use crate::args::Serve;
use crate::failure::Failure;
use crate::session::Session;

pub(crate) fn serve(session: &mut Session, args: &Serve) -> Result<u8, Failure> {
    let cannot = |why: std::io::Error| {
        let message = format!("cannot serve at {}: {why}", args.addr);
        Failure::new(6, "serve", message)
    };
    // Whatever it could not serve is said now, not in a browser.
    session.project()?;
    let process = session.process.clone();
    let refusal = require_person(&process.variables, "sign in").err();
    if let Some(refusal) = &refusal {
        session
            .out
            .say(format!("nobody can sign in here: {}", refusal.message));
    }
    let options = ServerOptions {
        process,
        program: std::env::current_exe().map_err(cannot)?,
        wording,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        address: args.addr,
        refusal: refusal.map(worded),
        tell,
    };
    signoff_server::serve(options, |listening| {
        let address = listening.address;
        session
            .out
            .say(format!("serving http://{address}/ until Ctrl-C"));
    })
    .map_err(cannot)?;
    Ok(0)
}

/// Says something while the server runs.
fn tell(text: &str) {
    writeln!(anstream::stderr(), "{text}").ok();
}

/// The words of the command line for an error.
fn wording(error: Error, plan: Option<&str>) -> WordedError {
    worded(Failure::from(error).naming_plan(|| plan.map(str::to_owned)))
}

fn worded(failure: Failure) -> WordedError {
    WordedError {
        exit: failure.exit,
        error: failure.to_api(),
    }
}
