//! `serve`: plans for people in a browser, and for programs over HTTP, until Ctrl-C.

use std::io::Write as _;

use signoff_runtime::Error;
use signoff_runtime::project::Project;
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
    if let Some(name) = &args.add_person {
        return add_person(session, name);
    }
    // Whatever it could not serve is said now, not in a browser.
    let project = session.project()?;
    require_people(&project, args)?;
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
        url: args.url.clone(),
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

/// Whoever can reach this machine reaches other addresses, so people must show who they are.
fn require_people(project: &Project, args: &Serve) -> Result<(), Failure> {
    let is_for_one = args.addr.ip().is_loopback() && args.url.is_none();
    if is_for_one || !project.config.serve.people.value.is_empty() {
        return Ok(());
    }
    let message = "others can reach it, and nobody is named in `[serve.people]`";
    Err(Failure::new(4, "no-people", message)
        .hint("`signoff serve --add-person NAME` makes a token, and the line for your configuration")
        .hint("tokens travel in the clear: listen on 127.0.0.1 and put a server with TLS in front: `signoff serve --url https://HOST` and `caddy reverse-proxy --from HOST --to 127.0.0.1:4180`"))
}

/// Makes a token for a person. Only its hash is to be kept.
fn add_person(session: &mut Session, name: &str) -> Result<u8, Failure> {
    session.require_person("say who may sign in")?;
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        return Err(Failure::new(2, "usage", "a person needs a name"));
    }
    let made = signoff_server::new_person();
    let made =
        made.map_err(|why| Failure::new(6, "serve", format!("cannot make a token: {why}")))?;
    let name = serde_json::Value::from(name.trim());
    session.out.answer(format!("token: {}", made.token));
    session
        .out
        .say("it is shown this once; give it to the person, and nobody else");
    let own = session.process.user_config.as_ref();
    let own = own.map_or_else(
        || "your configuration".to_owned(),
        |path| path.display().to_string(),
    );
    session.out.say(format!("put this into {own}:"));
    session
        .out
        .answer(format!("[serve.people]\n{name} = \"{}\"", made.hash));
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
