//! `trust`: a person has read this project's configuration and lets its commands run.

use std::path::Path;

use signoff_api::project::{TRUST_SCHEMA, Trust};
use signoff_plan::digest::Digest;
use signoff_store::config::{Config, Origin};
use signoff_store::trust as store;

use crate::failure::Failure;
use crate::report::style::harmless;
use crate::session::Session;

pub(crate) fn trust(session: &mut Session) -> Result<u8, Failure> {
    session.require_person("trust a configuration")?;
    let project = session.project()?;
    let Some(file) = &project.config.project else {
        let path = project.store.config_path();
        return Err(
            Failure::new(6, "no-config", format!("there is no {}", path.display()))
                .hint("`signoff init` writes one"),
        );
    };
    remember(session, &file.path, &file.bytes)?;
    let path = file.path.display().to_string();
    if session.is_json() {
        session.json(&Trust {
            schema: TRUST_SCHEMA.to_owned(),
            path,
            sha256: Digest::of_bytes(&file.bytes).hex(),
        });
        return Ok(0);
    }
    for line in commands(&project.config) {
        session.out.say(line);
    }
    session.out.answer(format!("trusted {path}, as it is now"));
    Ok(0)
}

/// Writes the decision down where only this user can.
pub(crate) fn remember(session: &Session, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let state = session.around.state_dir.as_ref().ok_or_else(|| {
        Failure::new(6, "no-home", "there is no place to remember what you trust")
            .hint("set `HOME` or `XDG_STATE_HOME` to an absolute path")
    })?;
    store::trust(state, path, bytes).map_err(|error| Failure::new(6, "trust", error.to_string()))
}

/// The words of a command, so that where each begins and ends can be seen, and nothing is left out.
fn words(command: &[String]) -> String {
    let quoted = command.iter().map(|word| format!("{word:?}"));
    quoted.collect::<Vec<_>>().join(" ")
}

/// Every command that this project's file makes run.
fn commands(config: &Config) -> Vec<String> {
    let mut lines = Vec::new();
    if config.contract.shell.origin == Origin::Project {
        lines.push(format!(
            "  contracts run in `{}`",
            harmless(&config.contract.shell.value)
        ));
    }
    let notify = &config.notify.command;
    if notify.origin == Origin::Project && !notify.value.is_empty() {
        let words = words(&notify.value);
        lines.push(format!(
            "  when something waits on you: {}",
            harmless(&words)
        ));
    }
    if config.run.prepare.origin == Origin::Project {
        for command in &config.run.prepare.value {
            lines.push(format!("  in every new worktree: {}", harmless(command)));
        }
    }
    for (role, agent) in &config.agents {
        if agent.origin == Origin::Project {
            lines.push(format!(
                "  agent `{role}`: {}",
                harmless(&words(&agent.value.command))
            ));
        }
    }
    for (name, server) in &config.servers {
        if server.origin == Origin::Project {
            let variables = match server.value.env.as_slice() {
                [] => String::new(),
                names => format!(", which sees {}", names.join(", ")),
            };
            lines.push(format!(
                "  server `{name}`: {}{variables}",
                harmless(&words(&server.value.command))
            ));
        }
    }
    lines
}
