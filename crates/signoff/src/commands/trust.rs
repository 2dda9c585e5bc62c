//! `trust`: a person has read this project's configuration and lets its commands run.

use signoff_api::project::{TRUST_SCHEMA, Trust};
use signoff_store::trust as store;

use crate::failure::Failure;
use crate::inside::require_person;
use crate::session::Session;

pub(crate) fn trust(session: &mut Session) -> Result<u8, Failure> {
    require_person(&session.around.variables, "trust a configuration")?;
    let project = session.project()?;
    let path = project.store.config_path();
    let bytes = std::fs::read(&path).map_err(|why| {
        Failure::new(6, "no-config", format!("{}: {why}", path.display()))
            .hint("`signoff init` writes one")
    })?;
    store::trust(&session.around.state_dir, &path, &bytes)
        .map_err(|error| Failure::new(6, "trust", error.to_string()))?;
    if session.is_json() {
        session.json(&Trust {
            schema: TRUST_SCHEMA.to_owned(),
            path: path.display().to_string(),
            sha256: signoff_plan::digest::Digest::of_bytes(&bytes).hex(),
        });
        return Ok(0);
    }
    for (role, agent) in &project.config.agents {
        session
            .out
            .say(format!("  {role}: {}", agent.value.command.join(" ")));
    }
    session
        .out
        .answer(format!("trusted {}, as it is now", path.display()));
    Ok(0)
}
