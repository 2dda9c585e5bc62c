//! Settings that are valid by themselves and contradict each other, whichever layers they come from.

use crate::config::{Config, ContractCache, IgnoredFiles, LandMode, Problem};

/// What contradicts what.
pub(in crate::config) fn conflicts(config: &Config) -> Vec<Problem> {
    let mut problems = too_few_approvers(config);
    problems.extend(warm_cache(config));
    problems
}

/// More people have to sign than are named.
fn too_few_approvers(config: &Config) -> Vec<Problem> {
    let (from, count) = (&config.approval.from, &config.approval.count);
    let named = u32::try_from(from.value.len()).unwrap_or(u32::MAX);
    if named == 0 || named >= count.value {
        return Vec::new();
    }
    let Some(location) = count.location.as_ref().or(from.location.as_ref()) else {
        return Vec::new();
    };
    vec![Problem {
        location: location.clone(),
        message: format!(
            "`[approval] count = {}` ({}) asks for more people than `from` names ({}): {}",
            count.value,
            count.source(),
            from.source(),
            from.value.join(", ")
        ),
        suggestion: Some("name more people, or ask for fewer".to_owned()),
    }]
}

fn warm_cache(config: &Config) -> Vec<Problem> {
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
