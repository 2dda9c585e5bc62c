//! What this machine can do for a run, found by trying it.

use signoff_api::doctor::{Doctor, Level as Told, SCHEMA, Sandbox, State, Worktrees};
use signoff_sandbox::{Level, probe};
use signoff_store::config::{Config, Mode};

use crate::error::Error;
use crate::project::Project;
use crate::trees;

/// Every level, the strongest first, and what it enforces.
const LEVELS: [(Level, &str); 4] = [
    (
        Level::Namespaces,
        "only the tree and private directories are writable; the store, the plan and protected files are not; sockets and keys are hidden",
    ),
    (Level::Bubblewrap, "the same, by the program `bwrap`"),
    (
        Level::Landlock,
        "nothing outside the tree is writable; what is in the tree is not protected, nothing is hidden",
    ),
    (
        Level::None,
        "a private home for agents; files are protected by hashes only",
    ),
];

/// Whether runs of a project can have worktrees, and why not.
pub fn worktrees(project: &Project) -> Result<Worktrees, Error> {
    let found = trees::repository(project)
        .and_then(|repository| trees::obstacles(project, repository.as_ref()));
    let why = match found {
        Err(Error::Git(why)) => vec![why.to_string()],
        found => found?,
    };
    Ok(Worktrees {
        possible: why.is_empty(),
        why,
    })
}

/// Looks at what a configuration asks for and what works here, and in this project, if there is one.
pub fn doctor(config: &Config, project: Option<&Project>) -> Result<Doctor, Error> {
    Ok(Doctor {
        schema: SCHEMA.to_owned(),
        sandbox: sandbox(config),
        worktrees: project.map(worktrees).transpose()?,
    })
}

/// How agents and contracts will be confined.
pub fn sandbox(config: &Config) -> Sandbox {
    let mode = config.sandbox.mode.value;
    let found = (mode != Mode::Off).then(probe);
    let level = found.map_or(Level::None, |found| found.level);
    let told = |(one, enforces): (Level, &str)| {
        let tried = found.and_then(|found| found.tried.iter().find(|tried| tried.level == one));
        Told {
            level: one.to_string(),
            state: match tried {
                Some(_) => State::Fails,
                None if one == level => State::Works,
                None => State::NotTried,
            },
            why: tried.map(|tried| tried.why.clone()),
            enforces: enforces.to_owned(),
        }
    };
    Sandbox {
        mode: mode.name().to_owned(),
        level: level.to_string(),
        network: config.sandbox.network.value,
        levels: LEVELS.map(told).into(),
    }
}
