//! What this machine can do for a run, found by trying it.

use signoff_api::doctor::{Doctor, Level as Told, SCHEMA, Sandbox, State};
use signoff_sandbox::{Level, probe};
use signoff_store::config::{Config, Mode};

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

/// Looks at what a configuration asks for and what works here.
pub fn doctor(config: &Config) -> Doctor {
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
    Doctor {
        schema: SCHEMA.to_owned(),
        sandbox: Sandbox {
            mode: mode.name().to_owned(),
            level: level.to_string(),
            network: config.sandbox.network.value,
            levels: LEVELS.map(told).into(),
        },
    }
}
