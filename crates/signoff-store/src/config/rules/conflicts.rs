//! Settings that are right by themselves and do not go together, whichever layers they come from.

use crate::config::{Config, ContractCache, IgnoredFiles, LandMode, Problem};

/// What contradicts what.
pub(in crate::config) fn conflicts(config: &Config) -> Vec<Problem> {
    let (cache, ignored) = (&config.contract.cache, &config.contract.ignored);
    let land = &config.run.land;
    let Some(location) = cache
        .location
        .as_ref()
        .filter(|_| cache.value == ContractCache::Warm)
    else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    let mut say = |message: String, suggestion: &str| {
        problems.push(Problem {
            location: location.clone(),
            message,
            suggestion: Some(suggestion.to_owned()),
        });
    };
    if land.value == LandMode::Step {
        say(
            format!(
                "`[contract] cache = \"warm\"` does not go with `[run] land = \"step\"` ({}): nothing lands before all contracts have held cold, at the end",
                land.source()
            ),
            "write `land = \"end\"`, or `cache = \"cold\"`",
        );
    }
    if ignored.value == IgnoredFiles::Attempt {
        say(
            format!(
                "`[contract] cache = \"warm\"` does not go with `ignored = \"attempt\"` ({}): contracts find there what the attempt built",
                ignored.source()
            ),
            "take one of them out",
        );
    }
    problems
}
