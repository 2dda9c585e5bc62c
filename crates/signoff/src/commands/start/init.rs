//! `init`: sets up a project, and says what it found.

mod agents;
mod git;
mod next;
mod prepare;

use std::path::Path;

use signoff_api::project::{INIT_SCHEMA, Init};
use signoff_runtime::Error;
use signoff_runtime::doctor::agents::LocalAgent;
use signoff_runtime::doctor::{dropped_path_entries, sandbox, worktrees};
use signoff_runtime::project::Project;
use signoff_store::atomic::{ReplaceError, replace};
use signoff_store::config::DriverName;
use signoff_store::root::{Store, discover};

use self::git::GitState;
use self::prepare::PrepareCommand;
use crate::commands::inspect::doctor::{path_line, worktrees_line};
use crate::commands::start::trust::record_trust;
use crate::failure::Failure;
use crate::session::Session;

/// What `init` found in the project and on the machine.
struct Findings {
    /// The best first.
    agents: Vec<LocalAgent>,
    /// The person's own configuration says which agent they want.
    own_default: bool,
    git: GitState,
    prepare: Vec<PrepareCommand>,
}

impl Findings {
    /// The agent that the written roles are for.
    fn chosen_agent(&self) -> Option<&LocalAgent> {
        self.agents.first().filter(|_| !self.own_default)
    }
}

pub(crate) fn init(session: &mut Session) -> Result<u8, Failure> {
    let here = session.process.directory.clone();
    refuse_nested(&here)?;
    let files =
        ["config.toml", ".gitignore", "project.json"].map(|name| here.join(".signoff").join(name));
    let mut written: Vec<_> = files.into_iter().filter(|path| !path.exists()).collect();
    let found = Findings {
        agents: agents::installed_agents(&session.process),
        own_default: agents::has_own_default(&session.process),
        git: git::state(&session.process),
        prepare: prepare::proposals(&here),
    };
    let store = Store::create(&here).map_err(Error::from)?;
    let config = store.config_path();
    let wrote_config = write_config(session, &config, &found)?;
    if wrote_config && !written.contains(&config) {
        written.push(config);
    }
    let written = written.iter().map(|path| path.display().to_string());
    let written: Vec<String> = written.collect();
    let root = store.dir().display().to_string();
    if session.is_json() {
        session.json(&Init {
            schema: INIT_SCHEMA.to_owned(),
            root,
            written,
            found_agents: names(&found.agents),
            agents: found.agents.iter().filter_map(agents::report).collect(),
            git: found.git.name().to_owned(),
            sandbox: level(session),
            prepare: found
                .prepare
                .iter()
                .map(|one| one.command.clone())
                .collect(),
            path_dropped: path_dropped(session),
        });
        return Ok(0);
    }
    tell_written(session, &root, &written);
    tell_found(session, &found, wrote_config);
    let next = next::next_step(session, &found.agents);
    session.out.answer(format!("next: {next}"));
    Ok(0)
}

fn names(agents: &[LocalAgent]) -> Vec<String> {
    let names = agents.iter().map(|agent| agent.driver.name().to_owned());
    names.collect()
}

/// Refuses to set up a project inside another one, because Signoff would not use it.
fn refuse_nested(here: &Path) -> Result<(), Failure> {
    let outer = discover(here).map_err(Error::from)?;
    let real = here.canonicalize();
    let here = real.as_deref().unwrap_or(here);
    match outer.filter(|outer| outer.workspace() != here) {
        Some(outer) => Err(Failure::from(Error::NestedStore {
            inner: here.join(".signoff"),
            outer: outer.dir().to_owned(),
        })),
        None => Ok(()),
    }
}

/// Writes the configuration, unless the project has another than `init` writes where there is no agent.
fn write_config(session: &Session, path: &Path, found: &Findings) -> Result<bool, Failure> {
    let text = |agents: &str| prepare::in_config(agents, &found.prepare);
    let without_agents = text(&agents::config(&[], None));
    let text = text(&agents::config(&found.agents, found.chosen_agent()));
    let replaced = match replace(path, None, text.as_bytes(), true) {
        Err(ReplaceError::Changed { .. }) if text != without_agents => {
            replace(path, Some(without_agents.as_bytes()), text.as_bytes(), true)
        }
        other => other,
    };
    match replaced {
        Ok(_) => {
            // The file that we wrote names no foreign commands.
            record_trust(session, path, text.as_bytes())?;
            Ok(true)
        }
        Err(ReplaceError::Changed { .. }) => Ok(false),
        Err(error) => Err(Failure::new(6, "file", error.to_string())),
    }
}

fn tell_written(session: &mut Session, root: &str, written: &[String]) {
    if written.is_empty() {
        let text = format!("{root} is already set up; nothing was changed");
        session.out.answer(text);
        return;
    }
    session.out.answer(format!("set up {root}"));
    for path in written {
        session.out.answer(format!("  wrote {path}"));
    }
}

fn tell_agents(session: &mut Session, found: &Findings, wrote_config: bool) {
    if found.agents.is_empty() {
        let known = DriverName::ALL.into_iter().filter_map(DriverName::program);
        let known: Vec<&str> = known.collect();
        session.out.answer(format!(
            "agents: none of {} is on PATH; `signoff doctor agents` shows how to get one",
            known.join(", ")
        ));
    } else {
        let described: Vec<String> = found.agents.iter().map(agents::describe).collect();
        let described = described.join(", ");
        session.out.answer(format!("agents: found {described}"));
    }
    if !wrote_config {
        return;
    }
    let roles = agents::ROLES.join(", ");
    session.out.answer(match found.chosen_agent() {
        Some(agent) => format!(
            "roles: {roles} use {}; change that in .signoff/config.toml",
            agent.driver.name()
        ),
        None if found.own_default => {
            "roles: your own configuration has `default`; others are in config.toml as comments"
                .to_owned()
        }
        None => format!("roles: {roles} are in config.toml as comments"),
    });
}

fn tell_found(session: &mut Session, found: &Findings, wrote_config: bool) {
    tell_agents(session, found, wrote_config);
    let config = if wrote_config {
        "is in config.toml as a comment"
    } else {
        "could be in config.toml"
    };
    for PrepareCommand { lockfile, command } in &found.prepare {
        session.out.answer(format!(
            "prepare: found {lockfile}; `prepare = [\"{command}\"]` {config}: it prepares the trees of a run"
        ));
    }
    session.out.answer(format!("git: {}", found.git));
    // Without a repository, the line about git says it already.
    if let Some(obstacle) = obstacles(session).filter(|_| found.git.is_repository()) {
        session.out.answer(obstacle);
    }
    for entry in path_dropped(session) {
        session.out.answer(path_line(&entry));
    }
    let level = level(session);
    let rights = if level == "none" {
        "; agents and contracts run with your rights"
    } else {
        ""
    };
    session.out.answer(format!(
        "sandbox: {level}{rights}; `signoff doctor` shows details"
    ));
}

/// The sandbox level for agents and contracts.
fn level(session: &Session) -> String {
    Project::open(&session.process).map_or_else(
        |_| "unknown".to_owned(),
        |project| sandbox(&project.config).level,
    )
}

fn path_dropped(session: &Session) -> Vec<String> {
    let project = Project::open(&session.process);
    project.map_or_else(|_| Vec::new(), |project| dropped_path_entries(&project))
}

/// What keeps agents from working side by side, or their commits from the repository.
fn obstacles(session: &Session) -> Option<String> {
    let project = Project::open(&session.process).ok()?;
    let found = worktrees(&project).ok()?;
    let is_worth_telling = !found.possible || !found.private.is_empty();
    is_worth_telling.then(|| worktrees_line(&found))
}
