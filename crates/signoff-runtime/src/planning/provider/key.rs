//! The key of a provider: printed by a command of the person's, or in a variable. It goes into a header and nowhere else.

use std::ffi::{OsStr, OsString};
use std::time::Duration;

use signoff_llm::Provider;
use signoff_sandbox::{Command, ExitStatus, Limits, Sandbox, Stdin};
use signoff_work::environment::path_outside;

use crate::error::{Error, PlanningError};
use crate::project::Project;

/// How long a command may take: it may ask the person.
const TIME: Duration = Duration::from_mins(1);
/// Bytes of a key.
const LONGEST: u64 = 16 * 1024;

/// The key, if there is one. Only servers that the person set up themselves may need none.
pub(super) fn find(
    project: &Project,
    provider: Provider,
    base_url: Option<&str>,
) -> Result<Option<String>, Error> {
    let command = &project.config.llm.key_command.value;
    if !command.is_empty() {
        return printed(project, command).map(Some);
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

fn printed(project: &Project, command: &[String]) -> Result<String, Error> {
    let workspace = project.store.workspace();
    // The person's own program. Nothing that agents write is looked at for it.
    let mut variables = project.process.variables.clone();
    let path = path_outside(&project.process.path(), workspace);
    variables.insert("PATH".into(), path);
    let home = variables.get(OsStr::new("HOME")).cloned();
    let command = Command {
        argv: command.iter().map(OsString::from).collect(),
        cwd: home.unwrap_or_else(|| "/".into()).into(),
        env: variables.into_iter().collect(),
        stdin: Stdin::Null,
        marker: None,
        limits: Limits {
            time: Some(TIME),
            output: LONGEST,
            log: 0,
        },
        log: None,
        policy: None,
        mounts: None,
    };
    let failed = |why: String| Error::from(PlanningError::KeyCommand { why });
    let sandbox = Sandbox::new().map_err(Error::Sandbox)?;
    let report = sandbox
        .run(command)
        .map_err(|why| failed(why.to_string()))?;
    if report.status != ExitStatus::Exited(0) {
        // What it printed may be half a key.
        return Err(failed("it did not succeed".to_owned()));
    }
    let text = report.stdout.text();
    let key = text.trim();
    if key.is_empty() || key.lines().count() != 1 {
        return Err(failed("it must print the key, on one line".to_owned()));
    }
    Ok(key.to_owned())
}
