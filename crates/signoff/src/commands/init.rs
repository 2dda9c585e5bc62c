//! `init`: sets up a project, and says what was found around it.

mod agents;
mod git;

use std::path::Path;

use signoff_api::project::{INIT_SCHEMA, Init};
use signoff_runtime::Error;
use signoff_runtime::doctor::{sandbox, worktrees};
use signoff_runtime::project::{Project, Trust};
use signoff_store::atomic::{ReplaceError, replace};
use signoff_store::root::{Store, discover};

use self::agents::Agent;
use self::git::Git;
use crate::commands::doctor::worktrees as side_by_side;
use crate::commands::trust::remember;
use crate::failure::Failure;
use crate::session::Session;

/// What was found around the project.
struct Found {
    agents: Vec<&'static Agent>,
    git: Git,
}

pub(crate) fn init(session: &mut Session) -> Result<u8, Failure> {
    let here = session.around.directory.clone();
    let outer = discover(&here);
    let files = ["config.toml", ".gitignore"].map(|name| here.join(".signoff").join(name));
    let missing: Vec<_> = files.into_iter().filter(|path| !path.exists()).collect();
    let found = Found {
        agents: agents::installed(&session.around),
        git: git::state(&session.around),
    };
    let store = Store::create(&here).map_err(Error::from)?;
    let wrote_config = write_config(
        session,
        &store.config_path(),
        &agents::config(&found.agents),
    )?;
    let written: Vec<String> = missing
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    let root = store.dir().display().to_string();
    if session.is_json() {
        session.json(&Init {
            schema: INIT_SCHEMA.to_owned(),
            root,
            written,
            found_agents: found.agents.iter().map(|one| one.name.to_owned()).collect(),
            git: found.git.name().to_owned(),
            sandbox: level(session),
        });
        return Ok(0);
    }
    if let Some(outer) = outer.filter(|outer| outer.dir() != store.dir()) {
        session.out.say(format!(
            "note: this is inside the project {}, which no longer applies here",
            outer.workspace().display()
        ));
    }
    tell_written(session, &root, &written);
    tell_found(session, &found, wrote_config);
    let next = next(session);
    session.out.answer(format!("next: {next}"));
    Ok(0)
}

/// Writes the configuration, unless there is one: that is somebody's.
fn write_config(session: &Session, path: &Path, text: &str) -> Result<bool, Failure> {
    match replace(path, None, text.as_bytes(), true) {
        Ok(_) => {
            // What we wrote ourselves names no command of anybody else's.
            remember(session, path, text.as_bytes())?;
            Ok(true)
        }
        Err(ReplaceError::Changed { .. }) => Ok(false),
        Err(error) => Err(Failure::new(6, "file", error.to_string())),
    }
}

fn tell_written(session: &mut Session, root: &str, written: &[String]) {
    if written.is_empty() {
        let text = format!("{root} is set up already; nothing was changed");
        session.out.answer(text);
        return;
    }
    session.out.answer(format!("set up {root}"));
    for path in written {
        session.out.answer(format!("  wrote {path}"));
    }
}

fn tell_found(session: &mut Session, found: &Found, wrote_config: bool) {
    let names: Vec<_> = found.agents.iter().map(|agent| agent.name).collect();
    if names.is_empty() {
        let looked_for: Vec<_> = agents::ALL.iter().map(|agent| agent.name).collect();
        session.out.answer(format!(
            "agents: none of {} is on PATH; any program that takes a prompt will do",
            looked_for.join(", ")
        ));
    } else {
        session.out.answer(format!(
            "agents: found {}; this version has no driver of its own for them and starts them by `driver = \"command\"`",
            names.join(", ")
        ));
    }
    if wrote_config {
        session.out.answer(format!(
            "roles: {} are in config.toml as commented examples",
            agents::ROLES.join(", ")
        ));
    }
    session.out.answer(format!("git: {}", found.git));
    // Without a repository that is said above.
    if let Some(obstacle) = obstacles(session).filter(|_| found.git.is_repository()) {
        session.out.answer(obstacle);
    }
    let level = level(session);
    let rights = if level == "none" {
        "; agents and contracts run with your rights"
    } else {
        ""
    };
    session.out.answer(format!(
        "sandbox: {level}{rights}; `signoff doctor` tells more"
    ));
}

/// How strongly agents and contracts will be confined.
fn level(session: &Session) -> String {
    Project::open(&session.around).map_or_else(
        |_| "unknown".to_owned(),
        |project| sandbox(&project.config).level,
    )
}

/// What keeps agents from working side by side, if anything.
fn obstacles(session: &Session) -> Option<String> {
    let project = Project::open(&session.around).ok()?;
    let found = worktrees(&project).ok()?;
    (!found.possible).then(|| side_by_side(&found))
}

/// What there is to do before a plan can run.
fn next(session: &Session) -> String {
    let Ok(project) = Project::open(&session.around) else {
        return "`signoff config` shows what is wrong with the settings".to_owned();
    };
    if project.config.agents.is_empty() {
        return "name an agent in .signoff/config.toml, type `signoff trust`, then `signoff verify PLAN`"
            .to_owned();
    }
    match project.trust() {
        Trust::Missing(_) => "read .signoff/config.toml, then type `signoff trust`".to_owned(),
        Trust::NotNeeded | Trust::Given => {
            "`signoff new --list` shows what a plan can begin with; `signoff verify PLAN` checks one"
                .to_owned()
        }
    }
}
