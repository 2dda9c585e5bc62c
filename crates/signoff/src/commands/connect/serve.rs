//! `serve`: plans for people in a browser, and for programs over HTTP, until Ctrl-C.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use signoff_runtime::Error;
use signoff_runtime::project::{Project, load_config};
use signoff_server::{ServerOptions, WordedError};

use crate::agent_check::require_person;
use crate::args::Serve;
use crate::failure::Failure;
use crate::session::Session;

/// Connections at once, however many files may be open: each takes memory, and any program of the machine can open them.
const MOST_CONNECTIONS: u64 = 20_000;
/// Open files that are no connections.
const FOR_FILES: u64 = 256;
/// A token that is shorter could be guessed.
const SHORTEST_TOKEN: usize = 32;

pub(crate) fn serve(session: &mut Session, args: &Serve) -> Result<u8, Failure> {
    match &args.add_person {
        Some(name) => add_person(session, name),
        None => listen(session, args, |_| {}),
    }
}

/// Serves until Ctrl-C; `listening` is told the address.
pub(crate) fn listen(
    session: &mut Session,
    args: &Serve,
    listening: impl FnOnce(SocketAddr),
) -> Result<u8, Failure> {
    let cannot = |why: std::io::Error| {
        let message = format!("cannot serve at {}: {why}", args.addr);
        Failure::new(6, "serve", message)
    };
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
        agent_wording,
        agent_token: args.agent_token.as_deref().map(read_token).transpose()?,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        address: args.addr,
        url: args.url.clone(),
        refusal: refusal.map(word_error),
        connections: allow_many_connections(),
        tell: print_line,
    };
    signoff_server::serve(options, |open| {
        let address = open.address;
        session
            .out
            .say(format!("serving http://{address}/ until Ctrl-C"));
        listening(address);
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
    let line = format!("{name} = \"{}\"", made.hash);
    // A second section of the same name would be an error.
    if has_people(session) {
        session
            .out
            .say(format!("add this line to `[serve.people]` in {own}:"));
        session.out.answer(line);
    } else {
        session.out.say(format!("put this into {own}:"));
        session.out.answer(format!("[serve.people]\n{line}"));
    }
    Ok(0)
}

/// Does the person's own configuration have the section already?
fn has_people(session: &Session) -> bool {
    let config = load_config(&session.process, None);
    config.is_ok_and(|config| !config.serve.people.value.is_empty())
}

/// Each who follows a run keeps a connection open, and the usual limit of open files is 1,024. Returns how many may be open:
/// some are left for files.
fn allow_many_connections() -> usize {
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum;
    // Where it cannot be raised, fewer can follow.
    setrlimit(Resource::Nofile, Rlimit { current, ..limit }).ok();
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let connections = files.saturating_sub(FOR_FILES.min(files / 2));
    usize::try_from(connections.min(MOST_CONNECTIONS)).unwrap_or(usize::MAX)
}

/// Says something while the server runs.
fn print_line(text: &str) {
    writeln!(anstream::stderr(), "{text}").ok();
}

/// The words of the command line for an error.
fn wording(error: Error, plan: Option<&str>) -> WordedError {
    word_error(Failure::from(error).naming_plan(|| plan.map(str::to_owned)))
}

fn agent_wording(error: Error, plan: Option<&str>) -> signoff_api::error::Error {
    wording(error, plan).error
}

/// The token of agents: what is in the file, or a new one that is put there.
fn read_token(path: &Path) -> Result<String, Failure> {
    let cannot = |why: std::io::Error| {
        let message = format!("{}: {why}", path.display());
        Failure::new(6, "serve", message)
    };
    match std::fs::read_to_string(path) {
        Ok(text) if text.trim().len() >= SHORTEST_TOKEN => Ok(text.trim().to_owned()),
        Ok(_) => {
            let message = format!(
                "{} has no token: it needs {SHORTEST_TOKEN} characters",
                path.display()
            );
            Err(Failure::new(2, "usage", message).hint("remove the file, and a token is made"))
        }
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => {
            let token = signoff_server::new_person().map_err(cannot)?.token;
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).mode(0o600).open(path);
            let written = file.and_then(|mut file| writeln!(file, "{token}"));
            written.map_err(cannot)?;
            Ok(token)
        }
        Err(why) => Err(cannot(why)),
    }
}

fn word_error(failure: Failure) -> WordedError {
    WordedError {
        exit: failure.exit,
        error: failure.to_api(),
    }
}
