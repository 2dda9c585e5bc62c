//! `trust`: a person allows the commands in a project's configuration to run.

use std::collections::BTreeMap;
use std::path::Path;

use signoff_api::project::{TRUST_SCHEMA, Trust, TrustedFile};
use signoff_plan::digest::Digest;
use signoff_runtime::Error;
use signoff_runtime::project::Project;
use signoff_runtime::trust::helpers::{Helper, helpers, present_hashes};
use signoff_store::config::{Config, DriverName, Origin};
use signoff_store::trust as store;
use signoff_store::trust::projects::ProjectStatus;

use crate::failure::Failure;
use crate::session::Session;
use crate::style::sanitize;

pub(crate) fn trust(session: &mut Session) -> Result<u8, Failure> {
    session.require_person("trust a configuration")?;
    let project = session.project()?;
    let file = project.config.project.as_ref();
    let helpers = helpers(&project);
    let (_, status) = project.id_status()?;
    let is_copy = matches!(status, ProjectStatus::Copy { .. });
    if file.is_none() && helpers.is_empty() && !is_copy {
        let path = project.store.config_path();
        return Err(
            Failure::new(6, "no-config", format!("there is no {}", path.display()))
                .hint("`signoff init` writes one"),
        );
    }
    let covered = present_hashes(&project);
    if let Some(file) = file {
        record_trust(session, &file.path, &file.bytes)?;
    }
    remember_helpers(session, &project, &covered)?;
    project.remember_id()?;
    if session.is_json() {
        session.json(&report(&project, &helpers, covered)?);
        return Ok(0);
    }
    if let ProjectStatus::Copy { of } = &status {
        session.out.say(format!(
            "  it has the id of {}: signatures made there count here from now on",
            of.display()
        ));
    }
    let lines = commands(&project.config).into_iter();
    for line in lines.chain(helper_lines(&helpers)) {
        session.out.say(line);
    }
    session.out.answer(match file {
        Some(file) => format!("trusted {}, as it is now", file.path.display()),
        None => format!("trusted {}", project.store.workspace().display()),
    });
    Ok(0)
}

fn report(
    project: &Project,
    helpers: &[Helper],
    covered: BTreeMap<String, String>,
) -> Result<Trust, Failure> {
    let file = project.config.project.as_ref();
    let not_covered = helpers.iter().flat_map(|helper| &helper.named.not_covered);
    Ok(Trust {
        schema: TRUST_SCHEMA.to_owned(),
        path: file.map(|file| file.path.display().to_string()),
        sha256: file.map(|file| Digest::of_bytes(&file.bytes).hex()),
        project: project.id_status()?.0,
        helpers: covered
            .into_iter()
            .map(|(path, sha256)| TrustedFile { path, sha256 })
            .collect(),
        not_covered: not_covered.cloned().collect(),
    })
}

/// The lines about the files that the commands run, and about those that trust does not cover.
fn helper_lines(helpers: &[Helper]) -> Vec<String> {
    let mut lines = Vec::new();
    for Helper { title, named } in helpers {
        let files = named
            .files
            .iter()
            .map(|file| format!("  {title} runs {}, as it is now", sanitize(file)));
        lines.extend(files);
        let others = named
            .not_covered
            .iter()
            .map(|path| format!("  {title} names {}, which is not covered", sanitize(path)));
        lines.extend(others);
    }
    if !lines.is_empty() {
        lines.push("  what these files load in turn is not covered".to_owned());
    }
    lines
}

/// Records the decision where only this user can write.
pub(crate) fn record_trust(session: &Session, path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let state = session.state_dir()?;
    Ok(store::trust(state, path, bytes).map_err(Error::from)?)
}

fn remember_helpers(
    session: &Session,
    project: &Project,
    covered: &BTreeMap<String, String>,
) -> Result<(), Failure> {
    let (state, root) = (session.state_dir()?, project.store.workspace());
    Ok(store::helpers::trust(state, root, covered.clone()).map_err(Error::from)?)
}

/// The words of a command, each in quotes, so that their limits are visible.
fn quote_words(command: &[String]) -> String {
    let quoted = command.iter().map(|word| format!("{word:?}"));
    quoted.collect::<Vec<_>>().join(" ")
}

/// Every command that this project's file makes run.
fn commands(config: &Config) -> Vec<String> {
    let mut lines = Vec::new();
    if config.contract.shell.origin == Origin::Project {
        lines.push(format!(
            "  contracts run in `{}`",
            sanitize(&config.contract.shell.value)
        ));
    }
    let notify = &config.notify.command;
    if notify.origin == Origin::Project && !notify.value.is_empty() {
        let words = quote_words(&notify.value);
        lines.push(format!(
            "  when something waits on you: {}",
            sanitize(&words)
        ));
    }
    if config.run.prepare.origin == Origin::Project {
        for command in &config.run.prepare.value {
            let command = sanitize(command);
            lines.push(format!("  once for each run, before its agents: {command}"));
        }
    }
    for (role, agent) in &config.agents {
        if agent.origin == Origin::Project {
            let driver = match agent.value.driver {
                DriverName::Command => String::new(),
                driver => format!(", by the driver `{}`", driver.name()),
            };
            lines.push(format!(
                "  agent `{role}`: {}{driver}",
                sanitize(&quote_words(&agent.value.command_words()))
            ));
        }
    }
    for (name, server) in &config.servers {
        if server.origin == Origin::Project {
            let variables = match server.value.env.as_slice() {
                [] => String::new(),
                names => format!(", which sees {}", names.join(", ")),
            };
            let confined = if server.value.confined {
                ", in the sandbox"
            } else {
                ""
            };
            let token = match &server.value.token_env {
                Some(name) => format!(", which gets the value of {name}"),
                None => String::new(),
            };
            let what = match &server.value.url {
                Some(url) => url.clone(),
                None => quote_words(&server.value.command),
            };
            let what = sanitize(&what);
            lines.push(format!(
                "  server `{name}`: {what}{variables}{confined}{token}"
            ));
        }
    }
    lines
}
