//! The environment that agents and contracts get: a list of what is let through, never what happens
//! to be set.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use crate::confine::Needs;

/// Variables of the harness's own process, read once at its edge.
pub type Variables = BTreeMap<OsString, OsString>;

/// Variables for an agent: those that all are allowed and those that it logs in with, nothing else.
pub fn for_agent(all: &Variables, allowed: &[String], needs: &Needs) -> Vec<(OsString, OsString)> {
    let mut variables = needs.variables(all);
    let own = |name: &str| variables.iter().any(|(own, _)| own == name);
    let allowed: Vec<String> = allowed.iter().filter(|name| !own(name)).cloned().collect();
    variables.extend(select(all, &allowed));
    variables
}

/// Variables for a contract: the allowed ones, with a PATH that has no entry inside the tree (an
/// agent could have put a fake checker there) and git without anybody's configuration or hooks.
pub fn for_contract(all: &Variables, allowed: &[String], tree: &Path) -> Vec<(OsString, OsString)> {
    let mut variables = select(all, allowed);
    for (name, value) in &mut variables {
        if name == "PATH" {
            *value = path_outside(value, tree);
        }
    }
    let git = [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.hooksPath"),
        ("GIT_CONFIG_VALUE_0", "/dev/null"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ];
    variables.extend(git.map(|(name, value)| (name.into(), value.into())));
    variables
}

/// The entries of a PATH that are absolute and lie outside the tree.
pub fn path_outside(path: &OsStr, tree: &Path) -> OsString {
    let kept =
        std::env::split_paths(path).filter(|entry| entry.is_absolute() && !entry.starts_with(tree));
    // Joining fails only for an entry with a colon, which splitting cannot have produced.
    std::env::join_paths(kept).unwrap_or_default()
}

/// The allowed variables, and of those only what no shell executes.
pub fn select(all: &Variables, allowed: &[String]) -> Vec<(OsString, OsString)> {
    allowed
        .iter()
        // These make a shell run somebody's code before the command.
        .filter(|name| !matches!(name.as_str(), "BASH_ENV" | "ENV" | "SIGNOFF_INSIDE"))
        .filter_map(|name| {
            let value = all.get(OsStr::new(name))?;
            Some((OsString::from(name), value.clone()))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::needs;

    fn variables() -> Variables {
        [
            ("PATH", "/usr/bin:/work/tree/bin:rel:/bin"),
            ("API_KEY", "secret"),
            ("BASH_ENV", "/evil"),
        ]
        .into_iter()
        .map(|(name, value)| (name.into(), value.into()))
        .collect()
    }

    #[test]
    fn only_what_is_allowed_gets_through() {
        let allowed = ["PATH".to_owned(), "BASH_ENV".to_owned(), "LANG".to_owned()];
        let seen = for_agent(&variables(), &allowed, &needs(&[]));
        assert_eq!(
            seen,
            [("PATH".into(), "/usr/bin:/work/tree/bin:rel:/bin".into())]
        );
    }

    #[test]
    fn a_contract_finds_no_program_inside_the_tree() {
        let seen = for_contract(&variables(), &["PATH".to_owned()], Path::new("/work/tree"));
        assert!(
            seen.contains(&("PATH".into(), "/usr/bin:/bin".into())),
            "{seen:?}"
        );
    }
}
