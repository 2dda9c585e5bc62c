//! The key of a provider: printed by a command of the person's, or in a variable. It goes into a header and nowhere else.

use std::ffi::OsStr;

use signoff_llm::Provider;

use crate::error::{Error, PlanningError};
use crate::project::Project;
use crate::project::secret_command::printed_secret;

/// The key, if there is one. Only servers that the person set up themselves may need none.
pub(super) fn find(
    project: &Project,
    provider: Provider,
    base_url: Option<&str>,
) -> Result<Option<String>, Error> {
    let command = &project.config.llm.key_command.value;
    if !command.is_empty() {
        return key_from_command(project, command).map(Some);
    }
    let names = provider.key_variables();
    let variables = &project.process.variables;
    let set = names.iter().find_map(|name| {
        let value = variables.get(OsStr::new(name))?.to_str()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    });
    if set.is_none() && base_url.is_none() && provider != Provider::Ollama {
        return Err(PlanningError::NoKey {
            provider: provider.name(),
            variable: names.first().copied().unwrap_or_default(),
        }
        .into());
    }
    Ok(set)
}

fn key_from_command(project: &Project, command: &[String]) -> Result<String, Error> {
    printed_secret(project, command).map_err(|why| PlanningError::KeyCommand { why }.into())
}
