//! `init`: sets up a project.

use signoff_api::project::{INIT_SCHEMA, Init};
use signoff_store::root::Store;
use signoff_store::trust;

use crate::failure::Failure;
use crate::session::Session;

/// Agents people have, for which this version has no driver of its own.
const AGENTS: [&str; 5] = ["claude", "codex", "gemini", "opencode", "pi"];

const CONFIG: &str = include_str!("init/config.toml");

const GITIGNORE: &str = "# Plans' signatures and the configuration are worth sharing; runs are not.\nruns/\nlocks/\nworktrees/\n";

pub(crate) fn init(session: &mut Session) -> Result<u8, Failure> {
    let store = Store::create(&session.around.directory).map_err(|error| Failure::new(6, "file", error.to_string()))?;
    let mut written = Vec::new();
    for (name, text) in [("config.toml", CONFIG), (".gitignore", GITIGNORE)] {
        let path = store.dir().join(name);
        if !path.exists() {
            std::fs::write(&path, text).map_err(|why| Failure::new(6, "file", format!("{}: {why}", path.display())))?;
            written.push(path.display().to_string());
        }
    }
    // What we wrote ourselves names no command of anybody else's.
    if written.iter().any(|path| path.ends_with("config.toml")) {
        trust::trust(&session.around.state_dir, &store.config_path(), CONFIG.as_bytes())
            .map_err(|error| Failure::new(6, "trust", error.to_string()))?;
    }
    let path = session.around.path();
    let found: Vec<String> = AGENTS
        .into_iter()
        .filter(|name| signoff_sandbox::program_exists(name.as_ref(), &path, &session.around.directory))
        .map(str::to_owned)
        .collect();
    let root = store.dir().display().to_string();
    if session.is_json() {
        session.json(&Init { schema: INIT_SCHEMA.to_owned(), root, written, found_agents: found });
        return Ok(0);
    }
    tell(session, &root, &written, &found);
    Ok(0)
}

fn tell(session: &mut Session, root: &str, written: &[String], found: &[String]) {
    if written.is_empty() {
        session.out.answer(format!("{root} is set up already; nothing was changed"));
        return;
    }
    session.out.answer(format!("set up {root}"));
    for path in written {
        session.out.answer(format!("  wrote {path}"));
    }
    if found.is_empty() {
        session.out.answer("no coding agent was found on PATH; roles are there as commented examples");
    } else {
        session.out.answer(format!(
            "found {}; this version starts agents with `driver = \"command\"`, see the examples in config.toml",
            found.join(", ")
        ));
    }
    session.out.answer("next: name an agent in .signoff/config.toml, type `signoff trust`, then `signoff verify PLAN`");
}
