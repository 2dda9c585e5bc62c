//! The settings that hold for a call: those of every project that the agent may be in, the strictest of each.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use signoff_plan::guard::GuardMode;
use signoff_store::root::{Store, discover};

use super::HookStore;
use crate::error::Error;
use crate::project::{ProcessContext, load_config};

/// What the configuration says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CallSettings {
    pub(super) mode: GuardMode,
    pub(super) plan_mode: bool,
    pub(super) tools: Vec<String>,
    /// Patterns of what is not shown.
    pub(super) redact: Vec<String>,
    /// The root of the project, if there is one.
    pub(super) project: Option<PathBuf>,
}

/// Variables by which agents tell a hook the directory of their project.
const PROJECT_VARIABLES: [&str; 2] = ["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR"];

/// Reads the settings. An agent that leaves its project does not leave what holds there.
pub(super) fn load(
    process: &ProcessContext,
    cwd: Option<&Path>,
    required: HookStore,
) -> Result<CallSettings, Error> {
    let stores = stores(process, cwd)?;
    if stores.is_empty() && required == HookStore::Required {
        let from = process.directory.clone();
        return Err(Error::NoStore { from });
    }
    let mut settings = settings_of_store(process, stores.first())?;
    for store in stores.iter().skip(1) {
        let other = settings_of_store(process, Some(store))?;
        settings.mode = settings.mode.max(other.mode);
        settings.plan_mode |= other.plan_mode;
        settings.tools.extend(other.tools);
        settings.redact.extend(other.redact);
    }
    Ok(settings)
}

fn stores(process: &ProcessContext, cwd: Option<&Path>) -> Result<Vec<Store>, Error> {
    let told = PROJECT_VARIABLES.iter().filter_map(|name| {
        let value = process.variables.get(OsStr::new(name))?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    });
    let cwd = cwd.filter(|cwd| cwd.is_absolute()).map(Path::to_path_buf);
    let places = told.chain(Some(process.directory.clone())).chain(cwd);
    let (mut seen, mut stores) = (BTreeSet::new(), Vec::<Store>::new());
    for place in places {
        if !seen.insert(place.clone()) {
            continue;
        }
        let Some(store) = discover(&place)? else {
            continue;
        };
        if stores
            .iter()
            .all(|known| known.workspace() != store.workspace())
        {
            stores.push(store);
        }
    }
    Ok(stores)
}

fn settings_of_store(
    process: &ProcessContext,
    store: Option<&Store>,
) -> Result<CallSettings, Error> {
    let config = load_config(process, store)?;
    Ok(CallSettings {
        mode: config.guard.mode.value,
        plan_mode: config.guard.plan_mode.value,
        tools: config.guard.tools.value,
        redact: config.sandbox.redact.value,
        project: store.map(|store| store.workspace().to_path_buf()),
    })
}
