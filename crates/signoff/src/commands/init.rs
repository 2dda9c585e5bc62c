//! `init`: sets up a project.

use signoff_api::project::{INIT_SCHEMA, Init};
use signoff_store::root::{Store, discover};

use crate::commands::trust::remember;
use crate::failure::Failure;
use crate::session::Session;

/// Agents people have, for which this version has no driver of its own.
const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "pi"];

const CONFIG: &str = include_str!("init/config.toml");

pub(crate) fn init(session: &mut Session) -> Result<u8, Failure> {
    let outer = discover(&session.around.directory);
    let files = ["config.toml", ".gitignore"]
        .map(|name| session.around.directory.join(".signoff").join(name));
    let missing: Vec<_> = files.into_iter().filter(|path| !path.exists()).collect();
    let store = Store::create(&session.around.directory)
        .map_err(|error| Failure::new(6, "file", error.to_string()))?;
    let config = store.config_path();
    if !config.exists() {
        std::fs::write(&config, CONFIG)
            .map_err(|why| Failure::new(6, "file", format!("{}: {why}", config.display())))?;
        // What we wrote ourselves names no command of anybody else's.
        remember(session, &config, CONFIG.as_bytes())?;
    }
    let written: Vec<String> = missing
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let path = session.around.path();
    let found: Vec<String> = AGENTS
        .into_iter()
        .filter(|name| {
            signoff_sandbox::program_exists(name.as_ref(), &path, &session.around.directory)
        })
        .map(str::to_owned)
        .collect();
    let root = store.dir().display().to_string();
    if session.is_json() {
        session.json(&Init {
            schema: INIT_SCHEMA.to_owned(),
            root,
            written,
            found_agents: found,
        });
        return Ok(0);
    }
    if let Some(outer) = outer.filter(|outer| outer.dir() != store.dir()) {
        session.out.say(format!(
            "note: this is inside the project {}, which no longer applies here",
            outer.workspace().display()
        ));
    }
    tell(session, &root, &written, &found);
    Ok(0)
}

fn tell(session: &mut Session, root: &str, written: &[String], found: &[String]) {
    if written.is_empty() {
        session
            .out
            .answer(format!("{root} is set up already; nothing was changed"));
        return;
    }
    session.out.answer(format!("set up {root}"));
    for path in written {
        session.out.answer(format!("  wrote {path}"));
    }
    if found.is_empty() {
        session
            .out
            .answer("no coding agent was found on PATH; roles are there as commented examples");
    } else {
        session.out.answer(format!(
            "found {}; this version starts agents with `driver = \"command\"`, see the examples in config.toml",
            found.join(", ")
        ));
    }
    session.out.answer("next: name an agent in .signoff/config.toml, type `signoff trust`, then `signoff verify PLAN`");
}
