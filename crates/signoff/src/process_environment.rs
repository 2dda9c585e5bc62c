//! Reads the environment of the process. No other code reads it.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use signoff_runtime::project::{ProcessContext, persons_path};

use crate::{services, user_name};

pub(crate) fn read() -> ProcessContext {
    let mut context = read_without_person();
    context.person = user_name::user_name();
    context
}

/// Everything but the person's name, which is looked up in files.
pub(crate) fn read_without_person() -> ProcessContext {
    let mut variables: BTreeMap<OsString, OsString> = std::env::vars_os().collect();
    if let Some(path) = variables.get_mut(OsStr::new("PATH")) {
        *path = persons_path(path);
    }
    let get = |name: &str| {
        variables
            .get(OsStr::new(name))
            .filter(|value| !value.is_empty())
    };
    let home = get("HOME")
        .map(PathBuf::from)
        .filter(|home| home.is_absolute());
    let below_home = |variable: &str, fallback: &str| {
        get(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
            .or_else(|| home.as_ref().map(|home| home.join(fallback)))
            .map(|base| base.join("signoff"))
    };
    ProcessContext {
        directory: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
        user_config: below_home("XDG_CONFIG_HOME", ".config").map(|dir| dir.join("config.toml")),
        state_dir: below_home("XDG_STATE_HOME", ".local/state"),
        person: String::new(),
        services: services::external_services(&variables),
        variables,
    }
}
